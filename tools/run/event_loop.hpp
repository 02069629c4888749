/// One thread that waits for descriptors, timers and functions from other threads, and calls back. All that cppc-run
/// does with sockets, HTTP excepted, happens on it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "../common/result.hpp"
#include "../common/unique_fd.hpp"

namespace cppc::run {

using tools::Result;
using tools::UniqueFd;

class EventLoop {
 public:
  using Callback = std::function<void()>;
  using EventCallback = std::function<void(std::uint32_t events)>;  ///< of epoll: EPOLLIN, ...

  static Result<std::unique_ptr<EventLoop>> create();

  /// Calls back until stop().
  void run();

  /// From any thread. What was posted before stop() is still carried out.
  void post(Callback function);
  void stop();

  /// On the loop's thread, or before it runs. `fd` stays the caller's and has to be forgotten before it is closed;
  /// callbacks may forget and close any descriptor, their own included.
  void watch(int fd, std::uint32_t events, EventCallback callback);
  void change(int fd, std::uint32_t events);  ///< no effect once it has been forgotten
  void forget(int fd);
  void after(std::chrono::milliseconds delay, Callback function);

 private:
  using Clock = std::chrono::steady_clock;
  struct Watch {
    std::uint64_t id;
    EventCallback callback;
  };

  EventLoop(UniqueFd epoll, UniqueFd wakeup);
  int milliseconds_to_next_timer() const;
  void run_timers();
  void run_posted();
  void dispatch(std::uint64_t id, std::uint32_t events);

  UniqueFd epoll_, wakeup_;
  std::unordered_map<int, std::shared_ptr<Watch>> watches_;
  std::unordered_map<std::uint64_t, int> fd_of_id_;  // a closed descriptor's number may be in use again
  std::uint64_t last_id_ = 0;
  std::multimap<Clock::time_point, Callback> timers_;
  std::mutex mutex_;  // guards what follows
  std::vector<Callback> posted_;
  bool stopping_ = false;
};

}  // namespace cppc::run
