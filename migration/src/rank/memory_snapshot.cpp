#include "memory_snapshot.hpp"

#include <linux/sched.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>

#include "no_signals.hpp"

namespace cppc::migration {
namespace {

static_assert(MemorySnapshot::most_pieces <= IOV_MAX);

/// A snapshot lacked memory that it should have had: the next one would, too.
constinit std::atomic<bool> incomplete = false;

/// From this version on, Linux gives the child its own copy of pages that a device has been given the addresses of.
/// Earlier ones may give it those pages, and this process copies that the device knows nothing of.
constexpr int keeps_registered_pages = 512;  // 5.12

bool keeps_pages_registered_with_devices() {
  utsname system{};
  int major = 0, minor = 0;
  uname(&system);
  return std::sscanf(system.release, "%d.%d", &major, &minor) == 2 && major * 100 + minor >= keeps_registered_pages;
}

/// Pages of this process that a device works on.
bool has_registered_pages() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmPin:")) return std::strtoull(line.c_str() + std::strlen("VmPin:"), nullptr, 10) != 0;
  return true;  // nobody knows
}

std::string why_not() {
  if (incomplete) return "a part of the rank's memory is kept from child processes (MADV_DONTFORK)";
  static const bool any_page = keeps_pages_registered_with_devices();
  if (!any_page && has_registered_pages())
    return "the network has memory of the rank registered, and Linux before 5.12 may not leave it there";
  return "";
}

/// The child.
[[noreturn]] void stay(pid_t parent, const std::function<void()>& work, int start, int done) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(EXIT_SUCCESS);  // it had ended before
  std::uint64_t one = 0;
  if (read(start, &one, sizeof one) != sizeof one) _exit(EXIT_FAILURE);
  work();
  if (write(done, &one, sizeof one) != sizeof one) _exit(EXIT_FAILURE);
  for (;;) pause();
}

/// How often a wait looks whether it is still wanted, and for a child that has ended.
constexpr std::chrono::milliseconds kLookAgain{20};

}  // namespace

tl::expected<MemorySnapshot, std::string> MemorySnapshot::take(const std::function<void()>& work) {
  if (std::string reason = why_not(); !reason.empty()) return tl::unexpected(std::move(reason));
  UniqueFd start(eventfd(0, EFD_CLOEXEC)), done(eventfd(0, EFD_CLOEXEC));
  if (!start || !done) return tl::unexpected(std::string("no descriptor for a child process: ") + std::strerror(errno));
  const NoSignals none;
  const pid_t self = getpid();
  clone_args wanted{};
  wanted.flags = CLONE_FILES;  // no second descriptor that keeps a connection open; no exit signal: the program's
                               // wait() does not see the child
  const auto child = static_cast<pid_t>(syscall(SYS_clone3, &wanted, sizeof wanted));
  if (child == 0) stay(self, work, start.get(), done.get());
  if (child < 0) return tl::unexpected(std::string("no child process: ") + std::strerror(errno));
  MemorySnapshot snapshot(child, std::move(start), std::move(done));
  std::byte probe{1}, seen{};
  iovec place{&probe, sizeof probe};
  iovec into{&seen, sizeof seen};
  if (process_vm_readv(child, &into, 1, &place, 1, 0) != 1)
    return tl::unexpected(std::string("the memory of a child process cannot be read: ") + std::strerror(errno));
  return snapshot;
}

MemorySnapshot::MemorySnapshot(MemorySnapshot&& other) noexcept
    : child_(std::exchange(other.child_, 0)), start_(std::move(other.start_)), done_(std::move(other.done_)) {}

MemorySnapshot::~MemorySnapshot() {
  if (child_ == 0) return;
  kill(child_, SIGKILL);
  while (waitpid(child_, nullptr, __WALL) < 0 && errno == EINTR) continue;
}

bool MemorySnapshot::read(std::span<const iovec> pieces, std::span<std::byte> to) const {
  const iovec into{to.data(), to.size()};
  const ssize_t got = process_vm_readv(child_, &into, 1, pieces.data(), pieces.size(), 0);
  if (got == static_cast<ssize_t>(to.size())) return true;
  if (got >= 0) errno = EFAULT;
  if (errno == EFAULT) incomplete = true;
  return false;
}

bool MemorySnapshot::do_work(const std::function<bool()>& go_on) const {
  const std::uint64_t one = 1;
  if (::write(start_.get(), &one, sizeof one) != sizeof one) return false;
  while (go_on()) {
    pollfd done{.fd = done_.get(), .events = POLLIN, .revents = 0};
    if (poll(&done, 1, static_cast<int>(kLookAgain.count())) > 0) return true;
    siginfo_t ended{};
    if (waitid(P_PID, static_cast<id_t>(child_), &ended, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0) return false;
    if (ended.si_pid != 0) {  // killed: it may have had pages that its work needed and the system kept from it
      incomplete = incomplete || ended.si_status == SIGSEGV || ended.si_status == SIGBUS;
      return false;
    }
  }
  return false;
}

void MemorySnapshot::give_way(int nice) const {
  setpriority(PRIO_PROCESS, static_cast<id_t>(child_), nice);
  std::ofstream("/proc/" + std::to_string(child_) + "/oom_score_adj") << 1000;  // advice
}

}  // namespace cppc::migration
