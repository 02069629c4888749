#include "interrupter.hpp"

#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "cppc/hooks.h"

namespace cppc::migration {
namespace {

/// Not waiting inside the system. The state follows the program's name, which may hold anything.
bool runs(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/task/" + std::to_string(process) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  return name_end != std::string::npos && line.substr(name_end).starts_with(") R");
}

void signal(pid_t process) {
  siginfo_t info{};
  info.si_signo = CPPC_LOOK_SIGNAL;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  // One that has ended, or whose signals are queued up, is no matter.
  if (syscall(SYS_rt_tgsigqueueinfo, process, process, CPPC_LOOK_SIGNAL, &info) != 0)
    spdlog::debug("process {} cannot be sent a signal: {}", process, std::strerror(errno));
}

}  // namespace

void Interrupter::interrupt(const std::vector<pid_t>& processes) {
  if (Clock::now() < next_) return;
  for (const pid_t process : processes)
    if (runs(process)) signal(process);
  next_ = Clock::now() + kPause;
}

}  // namespace cppc::migration
