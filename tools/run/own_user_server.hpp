/// An HTTP server on a UNIX socket that answers this user (and root) only.
#pragma once

#include <httplib.h>

namespace cppc::run {

class OwnUserServer : public httplib::Server {
 private:
  /// One request per connection; that of another user is closed unanswered.
  bool process_and_close_socket(socket_t socket) override;
};

}  // namespace cppc::run
