/// Is this a program that can take part? Agents and application share one MPI launch: a program without libcppc would
/// take the agents for ranks of its own.
#pragma once

#include <span>

#include "mpirun_options.hpp"

namespace cppc::run {

/// Refuses an ELF program that does not load libcppc, unless a program among its arguments does (`nice ./app`). With
/// `preload` it may also be one that libcppc can be preloaded into, or a shell, which hands libcppc on. What cannot be
/// looked at is let through: scripts, and programs that are not on this machine. Agents look at their ranks
/// (rank_processes.hpp).
Result<void> check_program(const Context& context, bool preload);

/// Whether the file has a program for the processor, in place of a script, say.
bool is_elf(const std::string& path);

/// The program's path, found as mpirun does: as it is, from --wdir, or in --path and $PATH. Empty when it is not here.
std::string find_program(const Context& context, const std::string& name);

}  // namespace cppc::run
