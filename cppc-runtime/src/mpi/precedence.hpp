/// Whether the program's calls of MPI come here. A library before libcppc that has functions of MPI, as profiling tools
/// do, would hand the program's handles to an MPI that does not know them.
#pragma once

#include <optional>
#include <string>

namespace cppc::mpi {

struct Taken {
  std::string function;
  std::string library;
};

/// A function that libcppc replaces and the program finds in another library.
std::optional<Taken> taken_function();

}  // namespace cppc::mpi
