#include "flang_errors.hpp"

#include <algorithm>
#include <regex>
#include <sstream>
#include <vector>

namespace cppc::fortran {

namespace {

/// Errors, each with the lines that follow it.
std::vector<std::string> errors_in(const std::string& text) {
  std::vector<std::string> errors;
  std::istringstream lines(text);
  bool within = false;  // else it is a warning's
  for (std::string line; std::getline(lines, line);) {
    const bool error = line.find(": error: ") != std::string::npos;
    if (error) errors.emplace_back();
    within = error || (within && line.find(": warning: ") == std::string::npos);
    if (within) errors.back() += line + '\n';
  }
  return errors;
}

/// Whether the compiler takes it: arguments of procedures of which flang has no interface, which the compiler has,
/// MPI's; formats that lack a comma; polymorphic variables of pure procedures, and what is done with them.
bool is_harmless(const std::string& error) {
  static const std::regex harmless(
      "error: ((ASYNCHRONOUS argument|VOLATILE argument|Assumed type actual argument) requires an explicit interface|"
      "References to the procedure '.*' require an explicit interface|"
      "Expected ',' or '\\)' in format expression|'.*' may not be a local variable in a pure subprogram|"
      "Result of pure function may not have polymorphic ALLOCATABLE ultimate component)|"
      "because: '.*' is polymorphic in a pure subprogram");
  return std::regex_search(error, harmless);
}

}  // namespace

std::string first_error(const std::string& messages) {
  const std::vector<std::string> errors = errors_in(messages);
  const auto first = std::ranges::find_if_not(errors, is_harmless);
  const std::string& from = first != errors.end() ? *first : errors.empty() ? messages : errors.front();
  return from.substr(0, from.find('\n'));
}

bool are_no_errors(const std::string& messages) {
  const std::vector<std::string> errors = errors_in(messages);
  return !errors.empty() && std::ranges::all_of(errors, is_harmless);
}

}  // namespace cppc::fortran
