#include "agent_state.hpp"

#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <new>

namespace cppc::migration {

namespace {
constexpr int kLook = 10;  // milliseconds
}  // namespace

void UnmapAgentState::operator()(AgentState* state) const noexcept { munmap(state, sizeof(AgentState)); }

tl::expected<SharedAgentState, cppc_status> share_agent_state() {
  void* const memory = mmap(nullptr, sizeof(AgentState), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    spdlog::error("cannot share memory with a guardian: {}", std::strerror(errno));
    return tl::unexpected(CPPC_ERR_SYSTEM);
  }
  return SharedAgentState(new (memory) AgentState);
}

void exit_without_aborting_job() { _exit(kExitWithoutAbort); }

tl::expected<std::unique_ptr<LinkWatch>, cppc_status> LinkWatch::on(int socket) {
  UniqueFd stop(eventfd(0, EFD_CLOEXEC));
  if (!stop) {
    spdlog::error("cannot watch the connection to cppc-run: {}", std::strerror(errno));
    return tl::unexpected(CPPC_ERR_SYSTEM);
  }
  std::unique_ptr<LinkWatch> watch(new LinkWatch(socket, std::move(stop)));
  watch->thread_ = std::thread([raw = watch.get()] { raw->run(); });
  return watch;
}

LinkWatch::~LinkWatch() {
  eventfd_write(stop_.get(), 1);
  thread_.join();
}

void LinkWatch::hold() { held_.lock(); }

void LinkWatch::resume() { held_.unlock(); }

void LinkWatch::run() {
  std::array<pollfd, 2> watched{{{socket_, POLLRDHUP, 0}, {stop_.get(), POLLIN, 0}}};
  while (poll(watched.data(), watched.size(), -1) < 0 && errno == EINTR) continue;
  if (watched[1].revents != 0) return;
  // Until it is not held any more, or there is an end to it.
  std::unique_lock free(held_, std::try_to_lock);
  for (; !free; (void)free.try_lock())
    if (poll(&watched[1], 1, kLook) > 0) return;
  exit_without_aborting_job();
}

}  // namespace cppc::migration
