/// Starts a program of the job in place of mpirun, which hangs when it cannot: a daemon of Open MPI 4.1 that has
/// processes of several application contexts, here ranks and an agent, does not report that the first of them failed to
/// start.
#pragma once

#include <string>
#include <vector>

namespace cppc::agent {

struct Start {
  std::string directory;  ///< to go to first; empty: stay
  std::string path;       ///< directories to look for the program in before those of $PATH, separated by ':'
  std::string preload;    ///< a library that the program gets behind those of LD_PRELOAD; empty: none
  std::vector<std::string> command;
};

/// Turns this process into the program, found as mpirun does: as it is when there is a slash in its name, otherwise in
/// `path`, $PATH and the working directory. Returns what a shell would when that fails, which it logs: 127 when there
/// is no such program or directory, else 126.
int start(const Start& what);

}  // namespace cppc::agent
