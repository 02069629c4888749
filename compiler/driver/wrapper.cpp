#include "wrapper.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "response_file.hpp"

namespace cppc::driver {
namespace {

std::vector<std::string> compiler_of(const char* variable) {
  const char* setting = std::getenv(variable);
  return split_at_blanks(setting == nullptr ? "" : setting);
}

// A link to a wrapper may have the name of the one of MPI's that it stands for.
constexpr std::array names_for_cxx{"cppc-c++", "cppc-cxx", "mpicxx", "mpic++", "mpiCC"};
constexpr std::array names_for_fortran{"cppc-fc", "mpifort", "mpif90", "mpif77"};

}  // namespace

Wrapper wrapper_called(std::string_view program) {
  const std::string name = std::filesystem::path(program).filename();
  if (std::ranges::find(names_for_cxx, name) != names_for_cxx.end())
    return {Language::cxx, name, "mpicxx", compiler_of("CPPC_CXX")};
  if (std::ranges::find(names_for_fortran, name) != names_for_fortran.end())
    return {Language::fortran, name, "mpifort", compiler_of("CPPC_FC")};
  return {Language::c, wrapper_name(Language::c), "mpicc", compiler_of("CPPC_CC")};
}

const char* wrapper_name(Language language) {
  switch (language) {
    case Language::cxx:
      return "cppc-c++";
    case Language::fortran:
      return "cppc-fc";
    default:
      return "cppc-cc";
  }
}

}  // namespace cppc::driver
