/// A guardian is a process between Open MPI's daemon and an agent or a replacement, its only child. It waits for the
/// child's end, and ends as the child has: to mpirun the two are one process. But for a child that dies while the job
/// does not depend on it, it leaves Open MPI by MPI_Finalize, and the job goes on: Open MPI would end it.
#pragma once

#include <spdlog/common.h>
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "cppc/status.h"

namespace cppc::migration {

/// How a process has ended.
struct Ending {
  bool by_signal = false;
  int code = 0;  ///< exit status, or number of the signal

  [[nodiscard]] bool good() const { return !by_signal && code == 0; }
};

std::string text(const Ending& ending);

/// How loud to say it: SIGTERM comes from mpirun, which then ends the job and says why.
spdlog::level::level_enum level_of(const Ending& ending);

/// Signals of the daemon go to both processes: the child alone obeys them, and its death is the guardian's.
class Child {
 public:
  /// Forks; the process must have one thread. Returns twice: nothing in the new process, which dies with its guardian.
  /// CPPC_ERR_SYSTEM, logged.
  static tl::expected<std::optional<Child>, cppc_status> fork();

  /// Waits for its end.
  [[nodiscard]] Ending await() const;

  /// Likewise; ends it when it has been `unwanted` for `timeout`. Asked once a second.
  [[nodiscard]] Ending await(const std::function<bool()>& unwanted, std::chrono::seconds timeout) const;

 private:
  explicit Child(pid_t process) : process_(process) {}
  pid_t process_;
};

/// Leaves Open MPI for the child, which has called MPI_Init.
void leave_mpi();

/// Likewise for a child that has not: joins in its place first, since whoever has spawned it waits for that. False: it
/// only leaves, because the child was in the middle of it.
bool join_and_leave_mpi();

/// Ends this process like the child.
[[noreturn]] void end_like(const Ending& ending);

}  // namespace cppc::migration
