/// One thread that waits for sockets, timers and functions from other threads, and calls back. All that a
/// program does with sockets happens on it.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "../common/result.hpp"

namespace cppc::tools {

namespace asio = boost::asio;

class IoThread {
 public:
  /// The thread does not run yet.
  static Result<std::unique_ptr<IoThread>> create();
  ~IoThread() { stop(); }
  IoThread(const IoThread&) = delete;
  IoThread& operator=(const IoThread&) = delete;

  asio::io_context& context() { return context_; }

  void start();

  /// Carries out what was posted before, and ends the thread. From another thread; no effect when it does not run.
  void stop();

 private:
  IoThread() = default;

  asio::io_context context_;
  asio::executor_work_guard<asio::io_context::executor_type> work_{context_.get_executor()};
  std::thread thread_;
};

/// From any thread: has `function` called by the thread that runs `context`.
void post(asio::io_context& context, std::function<void()> function);

/// From that thread, or before it runs.
void after(asio::io_context& context, std::chrono::milliseconds delay, std::function<void()> function);

}  // namespace cppc::tools
