/// The program's signal handlers are its own.
#pragma once

#include <array>
#include <csignal>

namespace cppc::fabric {

/// Puts back, at the end of its life, the signal handlers that were set at its beginning. Some providers (shm) set
/// their own, for SIGTERM and SIGSEGV too, when an endpoint is made.
class SignalKeeper {
 public:
  SignalKeeper() {
    for (int signal = 1; signal < first_real_time; ++signal) sigaction(signal, nullptr, &actions_[signal]);
  }
  SignalKeeper(const SignalKeeper&) = delete;
  SignalKeeper& operator=(const SignalKeeper&) = delete;
  ~SignalKeeper() {
    for (int signal = 1; signal < first_real_time; ++signal) sigaction(signal, &actions_[signal], nullptr);
  }

 private:
  static constexpr int first_real_time = 32;  // real-time signals, some of them the C library's, start here
  std::array<struct sigaction, first_real_time> actions_{};
};

}  // namespace cppc::fabric
