/// An event loop on a thread of its own, for tests.
#pragma once

#include <future>
#include <thread>

#include "event_loop.hpp"

namespace cppc::test {

class RunningLoop {
 public:
  RunningLoop() : loop_(run::EventLoop::create().value()), thread_([this] { loop_->run(); }) {}
  ~RunningLoop() {
    loop_->stop();
    thread_.join();
  }

  run::EventLoop& loop() { return *loop_; }

  /// What `function` returns on the loop's thread.
  template <class Function>
  auto call(Function function) {
    std::packaged_task<decltype(function())()> task(std::move(function));
    auto result = task.get_future();
    loop_->post([&task] { task(); });
    return result.get();
  }

 private:
  std::unique_ptr<run::EventLoop> loop_;
  std::thread thread_;
};

}  // namespace cppc::test
