#include "address/process/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "address/carried_objects.hpp"
#include "address/places.hpp"
#include "address/process/program_memory.hpp"
#include "log.hpp"

namespace cppc::address::environment {

namespace {

/// How variables begin that belong to a process, not to the program in it.
constexpr std::array<std::string_view, 8> of_process{"OMPI_", "OPAL_", "ORTE_",  "PMIX_",
                                                     "PRTE_", "CPPC_", "HWLOC_", "UCX_"};

char* copy_for_program(std::string_view text) {
  char* const copy = static_cast<char*>(allocate_for_program(text.size() + 1));
  text.copy(copy, text.size());
  return copy;
}

struct Variable {
  char* place;  ///< null: not in the program's memory
  std::string text;

  [[nodiscard]] char* in_program() const { return place != nullptr ? place : copy_for_program(text); }
};

using Variables = std::vector<Variable>;

/// As the rank had it.
struct Captured {
  Variables variables;
  char** array = nullptr;       ///< null: not in the program's memory
  std::span<char*> next_array;  ///< what `environ` is to be in this process
};

Captured& captured() {
  static auto& all = *new Captured;  // used until the process ends
  return all;
}

bool belongs_to_process(std::string_view variable) {
  return std::ranges::any_of(of_process, [&](std::string_view prefix) { return variable.starts_with(prefix); });
}

std::span<char*> present() {
  std::size_t count = 0;
  while (environ != nullptr && environ[count] != nullptr) ++count;
  return {environ, count};
}

/// Where a program's putenv() may have what it puts there.
class ProgramMemory {
 public:
  [[nodiscard]] bool holds(const char* variable) const {
    const auto* const place = reinterpret_cast<const std::byte*>(variable);
    const auto has = [place](std::span<std::byte> data) {
      return place >= data.data() && place < data.data() + data.size();
    };
    return is_program_memory(variable) ||
           std::ranges::any_of(objects_, [&](const auto& object) { return std::ranges::any_of(object.data, has); });
  }

 private:
  std::vector<CarriedObject> objects_ = carried_objects();
};

/// The array is the process's: MPI replaces variables in it.
std::span<char*> make_array(std::size_t places) {
  auto* const array = static_cast<char**>(std::calloc(places, sizeof(char*)));
  if (array == nullptr) die(CPPC_ERR_MEMORY, "no memory for the environment");
  return {array, places};
}

/// Where the rank had the variable from its process, if that is enough, so that its memory does not grow with each
/// move.
char* in_place_of_earlier(const Variables& of_rank, std::string_view text) {
  const std::string_view name = text.substr(0, text.find('=') + 1);
  const auto earlier = std::ranges::find_if(of_rank, [&](const Variable& one) {
    return one.place != nullptr && one.text.starts_with(name) && one.text.size() >= text.size();
  });
  if (earlier == of_rank.end()) return copy_for_program(text);
  text.copy(earlier->place, text.size());
  earlier->place[text.size()] = '\0';
  return earlier->place;
}

/// The rank's own, and the process's own.
std::vector<char*> joined(const Variables& of_rank) {
  std::vector<char*> variables;
  for (const Variable& variable : of_rank)
    if (!belongs_to_process(variable.text)) variables.push_back(variable.in_program());
  for (char* const variable : present())
    if (belongs_to_process(variable)) variables.push_back(in_place_of_earlier(of_rank, variable));
  return variables;
}

/// What the program's setenv() has made the array grow into is the program's memory. It is the environment no more;
/// what MPI has put there led to its own memory.
void mend_array() {
  char** next = captured().array;
  for (const Variable& variable : captured().variables)
    if (next != nullptr) *next++ = variable.in_program();
}

}  // namespace

char** start() {
  std::vector<char*> variables;
  for (const char* variable : present()) variables.push_back(copy_for_program(variable));
  auto* const of_main = static_cast<char**>(allocate_for_program((variables.size() + 1) * sizeof(char*)));
  std::ranges::copy(variables, of_main);
  const auto array = make_array(variables.size() + 1);
  std::ranges::copy(variables, array.begin());
  environ = array.data();
  return of_main;
}

std::optional<std::uint64_t> place_in_array(const void* address) {
  const auto variables = present();
  const auto* const place = static_cast<const std::byte*>(address);
  const auto array = std::as_bytes(std::span(variables.data(), variables.size() + 1));
  if (is_program_memory(variables.data()) || place < array.data() || place >= array.data() + array.size())
    return std::nullopt;
  return static_cast<std::uint64_t>(place - array.data());
}

std::uintptr_t address_in_next_array(std::uint64_t place) {
  return reinterpret_cast<std::uintptr_t>(captured().next_array.data()) + place;
}

bool holds(const void* place) {
  const auto variables = present();
  return place >= variables.data() && place < variables.data() + variables.size();
}

cppc_status write(ByteWriter& writer) {
  const auto variables = present();
  const ProgramMemory program;
  writer.u64(is_program_memory(variables.data()) ? reinterpret_cast<std::uintptr_t>(variables.data()) : 0);
  writer.u64(variables.size());
  for (const char* variable : variables) {
    writer.u64(program.holds(variable) ? reinterpret_cast<std::uintptr_t>(variable) : 0);
    writer.text(variable);
  }
  return CPPC_OK;
}

cppc_status prepare(ByteReader& reader) {
  captured() = {};
  captured().array = reinterpret_cast<char**>(reader.u64());
  if (captured().array != nullptr && !is_program_memory(captured().array)) reader.fail();
  const std::uint64_t count = reader.count(sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i < count; ++i) {
    char* const place = reinterpret_cast<char*>(reader.u64());
    captured().variables.push_back({.place = place, .text = std::string(reader.text())});
  }
  captured().next_array = make_array(count + present().size() + 1);
  return reader.ok() ? CPPC_OK : CPPC_ERR_IMAGE;
}

void apply() {
  const std::vector<char*> variables = joined(captured().variables);
  auto& array = captured().next_array;
  if (variables.size() >= array.size()) array = make_array(variables.size() + 1);  // MPI has set others since
  std::ranges::copy(variables, array.begin());
  environ = array.data();
  mend_array();
}

}  // namespace cppc::address::environment
