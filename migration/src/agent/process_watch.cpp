#include "process_watch.hpp"

#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace cppc::migration {

tl::expected<ProcessWatch, cppc_status> ProcessWatch::on(pid_t process) {
  UniqueFd descriptor(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
  if (!descriptor) {
    spdlog::error("cannot watch process {}: {}", process, std::strerror(errno));
    return tl::unexpected(CPPC_ERR_SYSTEM);
  }
  return ProcessWatch(std::move(descriptor));
}

bool ProcessWatch::ends_within(std::chrono::milliseconds time) const {
  pollfd one{descriptor(), POLLIN, 0};
  return poll(&one, 1, static_cast<int>(time.count())) == 1;
}

void ProcessWatch::await_end() const {
  while (!ends_within(std::chrono::hours(1))) continue;
}

void ProcessWatch::terminate() const { syscall(SYS_pidfd_send_signal, descriptor(), SIGTERM, nullptr, 0); }

void ProcessWatch::kill() const { syscall(SYS_pidfd_send_signal, descriptor(), SIGKILL, nullptr, 0); }

}  // namespace cppc::migration
