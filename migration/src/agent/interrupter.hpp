/// Has ranks that compute look whether they are to stop, which they do else at their next call of MPI (CPPC_LOOK_SIGNAL
/// in cppc/hooks.h).
#pragma once

#include <sys/types.h>

#include <vector>

#include "../control_block.hpp"

namespace cppc::migration {

class Interrupter {
 public:
  /// While all have to stop: call it again and again. `processes`: of ranks of this node that have not.
  void interrupt(const std::vector<pid_t>& processes);

 private:
  Deadline next_ = Clock::now() + kGrace;
  static constexpr std::chrono::milliseconds kGrace{100};  ///< most programs come by a call
  static constexpr std::chrono::milliseconds kPause{5};    ///< a rank may be where it cannot stop
};

}  // namespace cppc::migration
