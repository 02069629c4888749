#include "address/preload.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
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
constexpr std::string_view python = "python";

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

/// As the system found it, behind links such as python3.
bool is_python() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) return false;
  const std::string_view program(path.data(), static_cast<std::size_t>(length));
  return program.substr(program.rfind('/') + 1).starts_with(python);
}

void take_out() {
  std::string others;
  for (const std::string_view path : listed())
    if (!is_libcppc(path)) others.append(others.empty() ? "" : ":").append(path);
  const int status = others.empty() ? unsetenv(variable) : setenv(variable, others.c_str(), 1);
  if (status != 0) die(CPPC_ERR_MEMORY, "no memory for the environment");
}

}  // namespace

bool is_asked_for() { return std::ranges::any_of(listed(), is_libcppc); }

bool brings_program() { return is_asked_for() && !program_needs(libcppc) && (program_needs(mpi) || is_python()); }

void program_starts() {
  if (is_asked_for() && program_needs(mpi)) take_out();
}

void mpi_starts() {
  if (is_asked_for()) take_out();
}

}  // namespace cppc::address::preload
