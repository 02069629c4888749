/// A listening socket whose connections are accepted on an event loop's thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "event_loop.hpp"

namespace cppc::run {

class Acceptor {
 public:
  /// Calls `accepted` with each connection, which is non-blocking; that may destroy the Acceptor. When there is no
  /// descriptor for one, it says so, as a failure to accept `whose` connections, and tries again some time later.
  Acceptor(EventLoop& loop, UniqueFd listener, std::string whose, std::function<void(UniqueFd)> accepted);
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

 private:
  void listen();
  void accept();
  void pause(int reason);

  EventLoop& loop_;
  UniqueFd listener_;
  const std::string whose_;
  const std::shared_ptr<const std::function<void(UniqueFd)>> accepted_;  // shared with the call that may destroy this
  bool failing_ = false;                                                 // and that has been said
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);           // false once this has been destroyed
};

}  // namespace cppc::run
