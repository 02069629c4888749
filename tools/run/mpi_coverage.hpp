/// What becomes of each function of MPI in a program whose ranks can be moved.
#pragma once

#include <string>

namespace cppc::run {

/// A table for people, by name, with a line of totals at the end: supported, passed through or refused.
std::string mpi_coverage();

}  // namespace cppc::run
