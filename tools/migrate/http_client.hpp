/// One request of HTTP and its answer, by a connection of its own.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace cppc::migrate {

struct HttpRequest {
  std::string method, target;
  std::vector<std::pair<std::string, std::string>> headers;  ///< besides Host, and Content-Length unless it is here
  std::string body;
};

struct HttpReply {
  int status = 0;  ///< 0: nobody answered
  std::string body;
  std::string failure;  ///< why nobody answered
};

/// How long it may take.
struct Timeouts {
  std::chrono::milliseconds connecting, all;
};

HttpReply ask_by_socket(const std::filesystem::path& socket, const HttpRequest& request, const Timeouts& timeout);

/// Unencrypted.
HttpReply ask_by_tcp(const std::string& host, std::uint16_t port, const HttpRequest& request, const Timeouts& timeout);

struct TlsServer {
  std::string host;
  std::uint16_t port = 0;
  std::filesystem::path authority;  ///< certificates that the server's has to lead to; empty: the system's
};

/// Asks nothing of a server whose certificate is not to be trusted.
HttpReply ask_by_tls(const TlsServer& server, const HttpRequest& request, const Timeouts& timeout);

}  // namespace cppc::migrate
