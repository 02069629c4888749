/// libcppc among the libraries of LD_PRELOAD, as `cppc-run --preload` names it there: it comes into everything that the
/// command of a rank starts. It is there for the first program that is linked with MPI, and for interpreters of Python,
/// which load MPI later, if at all; others, such as shells and env, start as they would without it.
#pragma once

namespace cppc::address::preload {

/// Whether LD_PRELOAD names libcppc.
bool is_asked_for();

/// Whether this program has libcppc from LD_PRELOAD alone, and is one of those that it is there for. Once all libraries
/// are loaded; asks for memory, which must not be the program's.
bool brings_program();

/// As a program begins: if it is linked with MPI, what it starts shall not get libcppc. The environment must not be the
/// program's yet.
void program_starts();

/// As the program starts MPI: likewise for an interpreter, which may have been there to start another program.
void mpi_starts();

}  // namespace cppc::address::preload
