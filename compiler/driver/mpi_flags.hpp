/// The flags of MPI, which Open MPI's mpicc knows.
#pragma once

#include <string>
#include <vector>

#include "command_line.hpp"
#include "process.hpp"
#include "result.hpp"

namespace cppc::driver {

/// What `mpicc --showme:WHAT` prints.
Result<std::string> ask_mpicc(const std::string& what, Runner& runner);

/// What `line` needs to compile a program with MPI; nothing when it has it all.
Result<std::vector<std::string>> mpi_compile_flags(const CommandLine& line, Runner& runner);

/// What `line` needs at its end to link a program with MPI, whatever stands before the objects.
Result<std::vector<std::string>> mpi_link_flags(const CommandLine& line, Runner& runner);

}  // namespace cppc::driver
