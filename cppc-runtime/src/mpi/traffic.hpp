/// Counts of messages and requests, from which an extension learns whether anything is in flight (cppc_traffic in
/// cppc/hooks.h). Increments only; nothing is counted in a plain program.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi/comm_table.hpp"

namespace cppc::mpi {

class Traffic {
 public:
  /// The call that returned `status` sent to `dest`.
  int sent(int status, int dest) {
    if (comms.managed() && dest != MPI_PROC_NULL && status == MPI_SUCCESS) ++sent_;
    return status;
  }

  /// The call that returned `status` received, or began to receive, from `source`.
  int received(int status, int source) {
    if (comms.managed() && source != MPI_PROC_NULL && took_message(status)) ++received_;
    return status;
  }

  /// The call that returned `status` sent to `dest` and received from `source`.
  int exchanged(int status, int dest, int source) {
    if (took_message(status)) sent(MPI_SUCCESS, dest);
    return received(status, source);
  }

  /// A receive from `source` that was counted gets no message.
  void withdrawn(int source) {
    if (source != MPI_PROC_NULL) --received_;
  }

  void activated(std::int64_t requests) { active_ += requests; }
  void completed(std::int64_t requests) { active_ -= requests; }

  /// All messages have arrived and their communicators are gone: counting begins anew.
  void restart() { sent_ = received_ = 0; }

  [[nodiscard]] std::int64_t sent() const { return sent_; }
  [[nodiscard]] std::int64_t received() const { return received_; }
  [[nodiscard]] std::int64_t active() const { return active_; }

 private:
  static bool took_message(int status) { return status == MPI_SUCCESS || is_truncation(status); }

  /// A message too long for its buffer has been received all the same.
  [[gnu::cold, gnu::noinline]] static bool is_truncation(int status) {
    int error_class = MPI_SUCCESS;
    PMPI_Error_class(status, &error_class);
    return error_class == MPI_ERR_TRUNCATE;
  }

  std::int64_t sent_ = 0;
  std::int64_t received_ = 0;
  std::int64_t active_ = 0;
};

inline constinit Traffic traffic;

}  // namespace cppc::mpi
