/// What threads take to change the tables of the program's heap. It belongs to the process and does not travel. Not one
/// of pthread's, as what a tool or MPI has put in the place of those may allocate memory.
#pragma once

#include <atomic>

namespace cppc::address::heap {

class HeapLock {
 public:
  void lock() {
    // It is held for less time than it takes to sleep and to be woken.
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      int expected = kOpen;
      if (state_.load(std::memory_order_relaxed) == kOpen &&
          state_.compare_exchange_weak(expected, kTaken, std::memory_order_acquire)) {
        return;
      }
    }
    while (state_.exchange(kWaitedFor, std::memory_order_acquire) != kOpen) state_.wait(kWaitedFor);
  }

  void unlock() {
    if (state_.exchange(kOpen, std::memory_order_release) == kWaitedFor) state_.notify_one();
  }

 private:
  static constexpr int kAttempts = 200;
  static constexpr int kOpen = 0;
  static constexpr int kTaken = 1;
  static constexpr int kWaitedFor = 2;
  std::atomic<int> state_{kOpen};
};

}  // namespace cppc::address::heap
