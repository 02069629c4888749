/// An io_context on a thread of its own, for tests.
#pragma once

#include <future>

#include "io_thread.hpp"

namespace cppc::test {

class RunningLoop {
 public:
  RunningLoop() { io_->start(); }

  boost::asio::io_context& context() { return io_->context(); }

  /// What `function` returns on the thread.
  template <class Function>
  auto call(Function function) {
    std::packaged_task<decltype(function())()> task(std::move(function));
    auto result = task.get_future();
    tools::post(context(), [&task] { task(); });
    return result.get();
  }

 private:
  std::unique_ptr<tools::IoThread> io_ = tools::IoThread::create().value();
};

}  // namespace cppc::test
