#include "wrapper.hpp"

#include <cstdlib>
#include <filesystem>

#include "response_file.hpp"

namespace cppc::driver {
namespace {

std::vector<std::string> compiler_of(const char* variable) {
  const char* setting = std::getenv(variable);
  return split_at_blanks(setting == nullptr ? "" : setting);
}

}  // namespace

Wrapper wrapper_called(std::string_view program) {
  const std::string name = std::filesystem::path(program).filename();
  if (name == "cppc-c++" || name == "cppc-cxx") return {Language::cxx, name, "mpicxx", compiler_of("CPPC_CXX")};
  if (name == "cppc-fc") return {Language::fortran, name, "mpifort", compiler_of("CPPC_FC")};
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
