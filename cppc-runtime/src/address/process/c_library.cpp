#include "address/process/c_library.hpp"

#include <dlfcn.h>
#include <netdb.h>
#include <time.h>

#include <array>
#include <clocale>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>

#include "address/places.hpp"
#include "address/process/c_library_state.hpp"
#include "address/process/named_locales.hpp"
#include "address/process/owner.hpp"
#include "address/process/program_memory.hpp"
#include "log.hpp"

namespace cppc::address::c_library {

namespace {

struct Category {
  int number;
  const char* name;
};

constexpr std::array categories{Category{LC_CTYPE, "LC_CTYPE"},
                                Category{LC_NUMERIC, "LC_NUMERIC"},
                                Category{LC_TIME, "LC_TIME"},
                                Category{LC_COLLATE, "LC_COLLATE"},
                                Category{LC_MONETARY, "LC_MONETARY"},
                                Category{LC_MESSAGES, "LC_MESSAGES"},
                                Category{LC_PAPER, "LC_PAPER"},
                                Category{LC_NAME, "LC_NAME"},
                                Category{LC_ADDRESS, "LC_ADDRESS"},
                                Category{LC_TELEPHONE, "LC_TELEPHONE"},
                                Category{LC_MEASUREMENT, "LC_MEASUREMENT"},
                                Category{LC_IDENTIFICATION, "LC_IDENTIFICATION"}};

/// A variable that a library shows, of 4 bytes or 8.
struct Variable {
  const char* name;
  std::size_t bytes;
  bool address = false;  ///< carried when it is none that leads out of the program
};

/// signgam is the mathematical library's.
constexpr std::array variables{Variable{"optarg", 8, true},
                               Variable{"optind", 4},
                               Variable{"opterr", 4},
                               Variable{"optopt", 4},
                               Variable{"signgam", 4},
                               Variable{"getdate_err", 4},
                               Variable{"error_message_count", 4},
                               Variable{"error_one_per_line", 4},
                               Variable{"error_print_progname", 8, true},
                               Variable{"argp_err_exit_status", 4},
                               Variable{"argp_program_version", 8, true},
                               Variable{"argp_program_version_hook", 8, true},
                               Variable{"argp_program_bug_address", 8, true},
                               Variable{"obstack_exit_failure", 4},
                               Variable{"obstack_alloc_failed_handler", 8, true},
                               Variable{"re_syntax_options", 8},
                               Variable{"program_invocation_name", 8, true},
                               Variable{"program_invocation_short_name", 8, true}};

/// Of a variable: nothing where it keeps what it has.
using Value = std::optional<std::uint64_t>;

constinit std::array<Value, variables.size()> captured{};
constinit int captured_host_error = 0;

/// Of the main thread, while the program stands still. Null: it has had none to change.
constinit locale_t own_locale = nullptr;

Value value_of(const Variable& variable) {
  const void* const place = dlsym(RTLD_DEFAULT, variable.name);
  if (place == nullptr) return std::nullopt;
  std::uint64_t value = 0;
  std::memcpy(&value, place, variable.bytes);
  const bool leads_out =
      variable.address && value != 0 && owner_of(reinterpret_cast<const void*>(value)) != Owner::program;
  return leads_out ? std::nullopt : Value(value);
}

void set(const Variable& variable, std::uint64_t value) {
  if (void* const place = dlsym(RTLD_DEFAULT, variable.name)) std::memcpy(place, &value, variable.bytes);
}

cppc_status check() {
  const auto* state = find_root<CLibraryState>(Root::c_library);
  if (state != nullptr && state->scans_options) {
    log().error(
        "the safe point lies between calls of getopt(), whose place in the arguments cannot be carried over; "
        "call it until it gives -1 before");
    return CPPC_ERR_UNSUPPORTED;
  }
  if (state != nullptr && state->reads_database) {
    log().error(
        "the safe point lies between calls of getpwent(), getgrent() or one of their kind, whose place in the database "
        "cannot be carried over; call endpwent(), endgrent() and so on before");
    return CPPC_ERR_UNSUPPORTED;
  }
  if (state != nullptr && state->walks > 0) {
    log().error("the safe point lies within nftw() or ftw(), whose open directories cannot be carried over");
    return CPPC_ERR_UNSUPPORTED;
  }
  if (own_locale != nullptr && own_locale != LC_GLOBAL_LOCALE && !is_program_memory(own_locale)) {
    log().error(
        "the main thread has a locale of its own that is not in the program's memory, and cannot be carried over; call "
        "uselocale(LC_GLOBAL_LOCALE) before the safe point");
    return CPPC_ERR_UNSUPPORTED;
  }
  return CPPC_OK;
}

bool set_locale(const Category& category, const std::string& name) {
  if (name == setlocale(category.number, nullptr) || setlocale(category.number, name.c_str()) != nullptr) return true;
  log().error("the program's locale {} (for {}) is not installed here", name, category.name);
  return false;
}

}  // namespace

CLibraryState& state() {
  static constinit std::mutex mutex;
  const std::lock_guard lock(mutex);
  return at_root<CLibraryState>(Root::c_library);
}

void hold() {
  own_locale = uselocale(LC_GLOBAL_LOCALE);
  named_locales::forget_conversions();
}

void release() {
  named_locales::find_conversions();
  uselocale(own_locale);
}

cppc_status write(ByteWriter& writer) {
  if (const cppc_status status = check(); status != CPPC_OK) return status;
  for (const Category& category : categories) writer.text(setlocale(category.number, nullptr));
  writer.u64(reinterpret_cast<std::uintptr_t>(own_locale));
  for (const Variable& variable : variables) {
    const Value value = value_of(variable);
    writer.u8(value.has_value());
    writer.u64(value.value_or(0));
  }
  writer.i32(h_errno);
  return CPPC_OK;
}

cppc_status prepare(ByteReader& reader) {
  bool good = true;
  for (const Category& category : categories) {
    const std::string name(reader.text());
    if (reader.ok()) good = set_locale(category, name) && good;
  }
  own_locale = reinterpret_cast<locale_t>(reader.u64());
  for (Value& value : captured) {
    const bool there = reader.u8() != 0;
    const std::uint64_t number = reader.u64();
    value = there ? Value(number) : std::nullopt;
  }
  captured_host_error = reader.i32();
  if (!reader.ok()) return CPPC_ERR_IMAGE;
  return good ? CPPC_OK : CPPC_ERR_UNSUPPORTED;
}

void apply() {
  for (std::size_t i = 0; i < variables.size(); ++i)
    if (captured[i]) set(variables[i], *captured[i]);
  h_errno = captured_host_error;
  tzset();
}

}  // namespace cppc::address::c_library
