#include "address/preload.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "address/carried_objects.hpp"
#include "log.hpp"

namespace cppc::address::preload {

namespace {

constexpr const char* variable = "LD_PRELOAD";
constexpr std::string_view mpi = "libmpi.so";
constexpr std::string_view libcppc = "libcppc.so";

bool is_libcppc(std::string_view path) { return path.substr(path.rfind('/') + 1).starts_with(libcppc); }

/// The dynamic linker takes blanks as well as colons between them.
std::vector<std::string_view> listed() {
  const char* const value = std::getenv(variable);
  std::string_view rest = value != nullptr ? value : "";
  std::vector<std::string_view> paths;
  while (!rest.empty()) {
    const auto end = std::min(rest.find_first_of(": "), rest.size());
    if (end != 0) paths.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return paths;
}

}  // namespace

bool is_asked_for() { return std::ranges::any_of(listed(), is_libcppc); }

bool brings_program() { return is_asked_for() && program_needs(mpi) && !program_needs(libcppc); }

void end() {
  if (!is_asked_for() || !program_needs(mpi)) return;
  std::string others;
  for (const std::string_view path : listed())
    if (!is_libcppc(path)) others.append(others.empty() ? "" : ":").append(path);
  const int status = others.empty() ? unsetenv(variable) : setenv(variable, others.c_str(), 1);
  if (status != 0) die(CPPC_ERR_MEMORY, "no memory for the environment");
}

}  // namespace cppc::address::preload
