#include "launcher.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "cppc/unique_fd.hpp"

extern char** environ;

namespace cppc::run {
namespace {

using tools::error;

constexpr std::array ending{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
constexpr std::array passed_on{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& one : strings) result.push_back(one.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> merged_environment(const MpirunCommand& command) {
  std::vector<std::string> result;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string entry = *one, name = entry.substr(0, entry.find('='));
    const bool hidden = std::ranges::find(command.hidden, name) != command.hidden.end();
    if (!hidden && !command.environment.contains(name)) result.push_back(entry);
  }
  for (const auto& [name, value] : command.environment) result.push_back(name + "=" + value);
  return result;
}

// In the foreground of a terminal mpirun has to be in the same process group, to read from it and to be sent its
// signals.
bool in_foreground() { return isatty(STDIN_FILENO) != 0 && tcgetpgrp(STDIN_FILENO) == getpgrp(); }

// After fork(): only what is safe there. Says in `failure` why mpirun could not be run.
[[noreturn]] void become_mpirun(char* const* arguments, char* const* environment, const SignalGate& gate,
                                const DescriptorLimit& limit, pid_t parent, bool shares_terminal, int failure) {
  if (!shares_terminal) setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(EXIT_FAILURE);
  std::signal(SIGPIPE, SIG_DFL);  // cppc-run ignores it
  sigprocmask(SIG_SETMASK, &gate.original(), nullptr);
  limit.restore();
  execvpe(arguments[0], arguments, environment);
  const int reason = errno;
  [[maybe_unused]] const auto written = write(failure, &reason, sizeof reason);
  _exit(EXIT_FAILURE);
}

}  // namespace

SignalGate::SignalGate() {
  sigemptyset(&held_);
  for (const int signal : passed_on) sigaddset(&held_, signal);
  sigaddset(&held_, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &held_, &original_);
}

Result<Launcher> Launcher::start(const MpirunCommand& command, const SignalGate& gate, const DescriptorLimit& limit) {
  std::vector<std::string> arguments = command.arguments;
  std::vector<std::string> environment = merged_environment(command);
  const std::vector<char*> argument_pointers = pointers(arguments), environment_pointers = pointers(environment);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return error(std::string("cannot start mpirun: ") + std::strerror(errno));
  UniqueFd failure(ends[0]), report_failure(ends[1]);
  const bool shares_terminal = in_foreground();
  const pid_t self = getpid();
  const pid_t mpirun = fork();
  if (mpirun < 0) return error(std::string("cannot start mpirun: ") + std::strerror(errno));
  if (mpirun == 0) {
    become_mpirun(argument_pointers.data(), environment_pointers.data(), gate, limit, self, shares_terminal,
                  report_failure.get());
  }
  report_failure.reset();
  int reason = 0;
  if (read(failure.get(), &reason, sizeof reason) == sizeof reason) {
    waitpid(mpirun, nullptr, 0);
    return error(std::string("cannot run mpirun: ") + std::strerror(reason) +
                 "; Open MPI's mpirun has to be in $PATH (Debian's package openmpi-bin)");
  }
  return Launcher(mpirun, shares_terminal);
}

int Launcher::wait(const SignalGate& gate, const std::function<void()>& on_stop) {
  while (true) {
    siginfo_t signal{};
    if (sigwaitinfo(&gate.held(), &signal) < 0) continue;  // interrupted by one that is not held
    if (signal.si_signo != SIGCHLD) pass_on(signal);
    if (std::ranges::find(ending, signal.si_signo) != ending.end() && !std::exchange(stop_requested_, true)) on_stop();
    int status = 0;
    if (waitpid(mpirun_, &status, WNOHANG) != mpirun_) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
}

// mpirun takes a second Ctrl-C as "without any clean-up", so it must not get one twice.
void Launcher::pass_on(const siginfo_t& signal) const {
  const bool from_terminal = signal.si_code == SI_KERNEL;
  if (!(from_terminal && shares_terminal_)) kill(mpirun_, signal.si_signo);
}

}  // namespace cppc::run
