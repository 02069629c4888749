/// Accepts the connections of a listening socket, on the thread that runs its io_context.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "sockets.hpp"

namespace cppc::tools {

class Acceptor {
 public:
  using Accepted = std::function<void(Socket)>;

  /// Calls `accepted` with each connection; that may destroy the Acceptor. When there is no descriptor for one, it says
  /// so, as a failure to accept `whose` connections, and tries again some time later.
  Acceptor(ListeningSocket listener, std::string whose, Accepted accepted);
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  /// Until go_on() connections wait unaccepted.
  void hold();
  void go_on();

 private:
  class Listening;
  std::shared_ptr<Listening> listening_;  // shared with what is called back
};

}  // namespace cppc::tools
