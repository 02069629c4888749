/// What the wrapper works with: the parts of CPPC Live.
#pragma once

#include <string>
#include <vector>

#include "result.hpp"

namespace cppc::driver {

struct Parts {
  std::string translator;  ///< the program cppc
  std::string headers;     ///< directory that has cppc/cppc.h
  std::string libraries;   ///< directory that has libcppc.so
};

/// Whether the environment variable is set to something.
bool is_set(const char* variable);

/// Where the parts are, seen from the running program.
Parts locate_parts();

/// Whether libcppc is there.
Result<void> check_library(const Parts& parts);

/// Whether the others are, which the translator and what it makes need.
Result<void> check_translator(const Parts& parts);

/// The linker's words for libcppc, which has to come before MPI's own library.
std::vector<std::string> libcppc_flags(const Parts& parts);

}  // namespace cppc::driver
