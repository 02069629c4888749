#include "event_loop.hpp"

#include <spdlog/spdlog.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace cppc::run {

Result<std::unique_ptr<EventLoop>> EventLoop::create() {
  UniqueFd epoll(epoll_create1(EPOLL_CLOEXEC));
  UniqueFd wakeup(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!epoll || !wakeup) return tools::error(std::string("cannot wait for events: ") + std::strerror(errno));
  return std::unique_ptr<EventLoop>(new EventLoop(std::move(epoll), std::move(wakeup)));
}

EventLoop::EventLoop(UniqueFd epoll, UniqueFd wakeup) : epoll_(std::move(epoll)), wakeup_(std::move(wakeup)) {
  watch(wakeup_.get(), EPOLLIN, [this](std::uint32_t) {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto got = read(wakeup_.get(), &count, sizeof count);  // to be woken up is all that counts
  });
}

void EventLoop::run() {
  std::array<epoll_event, 64> events{};
  while (true) {
    run_timers();
    run_posted();
    {
      const std::lock_guard lock(mutex_);
      if (stopping_ && posted_.empty()) return;
    }
    const int count =
        epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), milliseconds_to_next_timer());
    for (int i = 0; i < count; ++i) dispatch(events[i].data.u64, events[i].events);
  }
}

void EventLoop::post(Callback function) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(function));
  }
  eventfd_write(wakeup_.get(), 1);
}

void EventLoop::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  eventfd_write(wakeup_.get(), 1);
}

void EventLoop::watch(int fd, std::uint32_t events, EventCallback callback) {
  const std::uint64_t id = ++last_id_;
  watches_[fd] = std::make_shared<Watch>(Watch{id, std::move(callback)});
  fd_of_id_[id] = fd;
  epoll_event event{.events = events, .data = {.u64 = id}};
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
    spdlog::error("nothing will be heard on descriptor {}: {}", fd, std::strerror(errno));
}

void EventLoop::change(int fd, std::uint32_t events) {
  const auto found = watches_.find(fd);
  if (found == watches_.end()) return;
  epoll_event event{.events = events, .data = {.u64 = found->second->id}};
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void EventLoop::forget(int fd) {
  const auto found = watches_.find(fd);
  if (found == watches_.end()) return;
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  fd_of_id_.erase(found->second->id);
  watches_.erase(found);
}

void EventLoop::after(std::chrono::milliseconds delay, Callback function) {
  timers_.emplace(Clock::now() + delay, std::move(function));
}

int EventLoop::milliseconds_to_next_timer() const {
  if (timers_.empty()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(timers_.begin()->first - Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

void EventLoop::run_timers() {
  while (!timers_.empty() && timers_.begin()->first <= Clock::now()) {
    const Callback function = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    function();
  }
}

void EventLoop::run_posted() {
  std::vector<Callback> functions;
  {
    const std::lock_guard lock(mutex_);
    functions.swap(posted_);
  }
  for (const Callback& function : functions) function();
}

void EventLoop::dispatch(std::uint64_t id, std::uint32_t events) {
  const auto fd = fd_of_id_.find(id);
  if (fd == fd_of_id_.end()) return;  // forgotten by an earlier callback of the same round
  const std::shared_ptr<Watch> watch = watches_.at(fd->second);
  watch->callback(events);
}

}  // namespace cppc::run
