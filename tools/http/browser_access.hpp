/// The page for browsers (tools/web), on a server whose clients know a token: its files, to everybody; logins; and
/// requests of who has logged in.
///
///   POST   /v1/session   with "Authorization: Bearer TOKEN": 200 {"csrf","server"} and a cookie; 401 another token;
///   429
///                        too many of these from this address
///   DELETE /v1/session   ends it
///
/// A request with the cookie has to have the header "X-CSRF-Token", too, whatever it asks: browsers send a cookie to
/// all ports of a host, where servers of others may listen, and with what pages of others ask.
#pragma once

#include <cstdint>

#include "admission.hpp"
#include "sessions.hpp"

namespace cppc::tools {

class BrowserAccess {
 public:
  struct Server {
    std::string name;  ///< tells the page what is served: "cppc-run", "cppc-health"
    std::uint16_t port = 0;
    bool tls = true;
  };

  BrowserAccess(std::string token, Server server);

  /// From any thread. None: who asks may ask.
  std::optional<HttpAnswer> operator()(const HttpRequest& head);

 private:
  HttpAnswer log_in(const HttpRequest& head);
  HttpAnswer log_out(const HttpRequest& head);
  bool has_session(const HttpRequest& head);
  std::string session_in(const std::string& cookies) const;
  std::string cookie(const std::string& value, const std::string& more) const;

  const std::function<bool(const HttpRequest& head)> knows_token_;
  const Server server_;
  Sessions sessions_;
  FailedLogins failed_;
};

}  // namespace cppc::tools
