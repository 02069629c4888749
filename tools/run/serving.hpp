/// An HTTP server at work, on threads of its own, for as long as this lives.
#pragma once

#include <httplib.h>

#include <chrono>
#include <memory>
#include <thread>

namespace cppc::run {

class Serving {
 public:
  /// `server` is bound to where it listens.
  explicit Serving(std::unique_ptr<httplib::Server> server)
      : server_(std::move(server)), thread_([raw = server_.get()] { raw->listen_after_bind(); }) {
    // Else stop() would come too early to have an effect.
    while (!server_->is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  /// Answers what has been asked.
  ~Serving() {
    server_->stop();
    thread_.join();
  }
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

 private:
  std::unique_ptr<httplib::Server> server_;
  std::thread thread_;
};

}  // namespace cppc::run
