/// Runs mpirun as this process's child, and lets it have the signals that it would get without cppc-run.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <functional>

#include "descriptor_limit.hpp"
#include "mpirun_command.hpp"

namespace cppc::run {

/// Holds back the signals that are for mpirun; threads that start later inherit that. Once, before any other thread.
class SignalGate {
 public:
  SignalGate();
  const sigset_t& held() const { return held_; }
  const sigset_t& original() const { return original_; }

 private:
  sigset_t held_, original_;
};

class Launcher {
 public:
  /// An error when mpirun cannot be run. It ends when this process does, however that happens. From the main thread.
  static Result<Launcher> start(const MpirunCommand& command, const SignalGate& gate, const DescriptorLimit& limit);

  pid_t process() const { return mpirun_; }

  /// Passes signals on until mpirun has ended; its exit status, as a shell has it. From the thread that started it.
  /// `on_stop` is called when the first comes that is to end it.
  int wait(const SignalGate& gate, const std::function<void()>& on_stop);

  /// Whether one of them was to end it.
  bool stop_requested() const { return stop_requested_; }

 private:
  Launcher(pid_t mpirun, bool shares_terminal) : mpirun_(mpirun), shares_terminal_(shares_terminal) {}
  void pass_on(const siginfo_t& signal) const;

  pid_t mpirun_;
  bool shares_terminal_;
  bool stop_requested_ = false;
};

}  // namespace cppc::run
