/// Which of the wrappers this is: they differ in the language that the compiler underneath is for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cppc::driver {

enum class Language { c, cxx, fortran };

struct Wrapper {
  Language language = Language::c;
  std::string name;                   ///< cppc-cc, cppc-c++ or cppc-fc
  std::string mpi;                    ///< Open MPI's wrapper, which knows the flags
  std::vector<std::string> compiler;  ///< with the words that belong to its name; empty: that of MPI's wrapper
};

/// The wrapper that is called by `program`, as main() is given it. Unknown names are cppc-cc's.
Wrapper wrapper_called(std::string_view program);

/// The wrapper for programs that are in `language`.
const char* wrapper_name(Language language);

}  // namespace cppc::driver
