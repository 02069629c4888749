/// What becomes of a job whose mpirun has ended: it is relocated, it is started again since something has been lost, or
/// that was its end.
#pragma once

#include <optional>
#include <string>

#include "controller.hpp"
#include "recovery.hpp"

namespace cppc::run {

class Starts {
 public:
  Starts(Recovery recovery, const Allocation& first) : recovery_(std::move(recovery)), all_(first), present_(first) {}

  /// Where the next mpirun has to start it.
  const Allocation& allocation() const { return present_; }

  /// The checkpoint that the job goes on from; empty: it begins anew. None: it has ended. Says what happens, to the
  /// controller too.
  std::optional<std::string> after(const JobEnd& end, Controller& controller);

 private:
  void go_to(const Layout& layout);

  Recovery recovery_;
  Allocation all_;  ///< without regard to losses
  Allocation present_;
  bool fell_back_ = false;  ///< the last relocation has failed
};

}  // namespace cppc::run
