/// The flags of MPI, and its compilers, which Open MPI's wrappers know.
#pragma once

#include <string>
#include <vector>

#include "command_line.hpp"
#include "process.hpp"
#include "result.hpp"
#include "wrapper.hpp"

namespace cppc::driver {

/// The name of MPI's wrapper when it has been asked by this program and calls it in turn, which would never end; else
/// empty.
std::string asked_back();

/// The compiler that the wrapper is to call: the user's, or the one that MPI's wrapper for the same language calls, as
/// a drop-in for that should; the system's if nobody says.
std::vector<std::string> compiler_underneath(const Wrapper& wrapper, Runner& runner);

/// What MPI's wrapper for the same language prints for `--showme:WHAT`.
Result<std::string> ask_mpi(const Wrapper& wrapper, const std::string& what, Runner& runner);

/// What has to stand before the words of `line`, which may take it back: MPI's own classes for C++ are left out.
std::vector<std::string> definitions_for_mpi(const CommandLine& line, const Wrapper& wrapper);

/// What `line` needs to compile a program with MPI and with libcppc's header; nothing when it has it all.
Result<std::vector<std::string>> mpi_compile_flags(const CommandLine& line, const Wrapper& wrapper, Runner& runner);

/// What `line` needs at its end to link a program with MPI, whatever stands before the objects.
Result<std::vector<std::string>> mpi_link_flags(const CommandLine& line, const Wrapper& wrapper, Runner& runner);

/// Whether `flag` is the library of MPI's classes for C++, which few programs need.
bool is_mpi_cxx(const std::string& flag);

}  // namespace cppc::driver
