/// Bounds a wait by the time in which those who are waited for could have worked.
#pragma once

#include <algorithm>
#include <chrono>

namespace cppc::negotiation {

/// To be asked in a loop with short sleeps. A process that was stopped meanwhile, with its machine or alone, finds the
/// clock far ahead, and must not take that for the others' delay: between two questions little is counted.
class TimeBudget {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds most_at_once{1};

  explicit TimeBudget(Clock::duration limit, Clock::time_point now = Clock::now()) : left_(limit), asked_(now) {}

  /// Whether `limit` and `more` have passed.
  bool spent(Clock::duration more = {}, Clock::time_point now = Clock::now()) {
    left_ -= std::min<Clock::duration>(now - asked_, most_at_once);
    asked_ = now;
    return left_ + more <= Clock::duration::zero();
  }

 private:
  Clock::duration left_;
  Clock::time_point asked_;
};

}  // namespace cppc::negotiation
