#include "address/process/c_library.hpp"

#include <dlfcn.h>
#include <getopt.h>
#include <time.h>

#include <array>
#include <clocale>
#include <string>

#include "address/places.hpp"
#include "address/process/c_library_state.hpp"
#include "address/process/named_locales.hpp"
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

/// Variables that the C library shows.
struct Variables {
  std::uint64_t argument;
  int index, says_errors, option;
  int sign_of_gamma;
};

constinit Variables captured{};

/// Of the main thread, while the program stands still. Null: it has had none to change.
constinit locale_t own_locale = nullptr;

/// Of the mathematical library; null without that.
int* sign_of_gamma() { return static_cast<int*>(dlsym(RTLD_DEFAULT, "signgam")); }

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
  writer.u64(reinterpret_cast<std::uintptr_t>(optarg));
  writer.i32(optind);
  writer.i32(opterr);
  writer.i32(optopt);
  const int* const sign = sign_of_gamma();
  writer.i32(sign != nullptr ? *sign : 0);
  return CPPC_OK;
}

cppc_status prepare(ByteReader& reader) {
  bool good = true;
  for (const Category& category : categories) {
    const std::string name(reader.text());
    if (reader.ok()) good = set_locale(category, name) && good;
  }
  own_locale = reinterpret_cast<locale_t>(reader.u64());
  captured.argument = reader.u64();
  captured.index = reader.i32();
  captured.says_errors = reader.i32();
  captured.option = reader.i32();
  captured.sign_of_gamma = reader.i32();
  if (!reader.ok()) return CPPC_ERR_IMAGE;
  return good ? CPPC_OK : CPPC_ERR_UNSUPPORTED;
}

void apply() {
  optarg = reinterpret_cast<char*>(captured.argument);
  optind = captured.index;
  opterr = captured.says_errors;
  optopt = captured.option;
  if (int* const sign = sign_of_gamma()) *sign = captured.sign_of_gamma;
  tzset();
}

}  // namespace cppc::address::c_library
