/// Calls of MPI as places where a rank can stop: each looks at a word that the extension has named, and says where it
/// is while that is not zero. Used by the thread that calls MPI.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "cppc/hooks.h"

namespace cppc::mpi {

class CallPoint {
 public:
  /// From now on `word` is watched; `stop` stops the rank where it is, and returns when it goes on, maybe in another
  /// process. Both must stay. nullptr: nothing is watched.
  void watch(const volatile std::uint32_t* word, const cppc_calls* calls, void (*stop)());

  [[nodiscard]] bool watching() const { return calls_ != nullptr; }
  [[nodiscard]] bool rings() const { return *word_ != 0; }

  /// At the beginning of a call that is no collective operation.
  void pass() {
    if (rings()) [[unlikely]]
      look(0, CPPC_NOBODY);
  }

  /// Before a collective operation is counted.
  void pass_collective() {
    if (rings()) [[unlikely]]
      look(1, CPPC_NOBODY);
  }

  /// Inside a call that waits for a message from `peer` of `comm`, the program's, or has looked for one in vain. The
  /// word is not zero.
  void wait_for(int peer, MPI_Comm comm);

  /// Likewise, for one of many, or for what others do with windows.
  void wait_for_anybody() { look(0, CPPC_ANYBODY); }

  /// Between two calls, wherever the program is.
  void pass_between();

  /// The message has come.
  void moved_on();

  [[nodiscard]] const cppc_calls* calls() const { return calls_; }

 private:
  void look(int collective, int waits_for);
  static constexpr std::uint32_t never_ = 0;
  const volatile std::uint32_t* word_ = &never_;
  const cppc_calls* calls_ = nullptr;
  void (*stop_)() = nullptr;
  bool uninterruptible_ = false;  ///< the extension has been told that it cannot be stopped now
};

inline constinit CallPoint call_point;

/// For as long as it lives, the program is inside a call that it cannot leave, such as MPI_Win_lock.
class UninterruptibleCall {
 public:
  explicit UninterruptibleCall(int waits_for = CPPC_ANYBODY) {
    if (call_point.calls() != nullptr) call_point.calls()->enter(waits_for, CPPC_INSIDE_CALL);
  }
  UninterruptibleCall(const UninterruptibleCall&) = delete;
  UninterruptibleCall& operator=(const UninterruptibleCall&) = delete;
  ~UninterruptibleCall() { call_point.moved_on(); }
};

}  // namespace cppc::mpi
