#include <netdb.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>

#include "../access/credential.hpp"
#include "../access/token.hpp"
#include "cppc/unique_fd.hpp"
#include "route.hpp"

namespace cppc::migrate {
namespace {

using tools::error;

constexpr std::chrono::seconds network_timeout{10};
constexpr std::chrono::seconds answer_timeout{60};

Result<TlsServer> parse_server(std::string url) {
  const auto wrong = error("--server needs https://HOST:PORT, and not " + url);
  if (url.ends_with('/')) url.pop_back();
  if (!url.starts_with("https://")) return wrong;
  const std::string place = url.substr(8);
  const auto colon = place.rfind(':');
  if (colon == std::string::npos) return wrong;
  TlsServer server{place.substr(0, colon), 0, {}};
  if (server.host.starts_with('[') && server.host.ends_with(']')) {
    server.host = server.host.substr(1, server.host.size() - 2);
  } else if (server.host.find(':') != std::string::npos) {
    return wrong;
  }
  const char* const end = place.data() + place.size();
  const auto [last, failure] = std::from_chars(place.data() + colon + 1, end, server.port);
  if (failure != std::errc{} || last != end || server.port == 0) return wrong;
  if (server.host.empty() || server.host.find_first_of("/?#@ ") != std::string::npos) return wrong;
  return server;
}

// Nobody listens at this address; when it cannot be reached at all, who knows.
bool is_refused(const addrinfo& address, std::chrono::steady_clock::time_point end) {
  const UniqueFd socket(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (::connect(socket.get(), address.ai_addr, address.ai_addrlen) == 0) return false;
  if (errno != EINPROGRESS) return errno == ECONNREFUSED;
  pollfd one{socket.get(), POLLOUT, 0};
  int failure = 0;
  socklen_t size = sizeof failure;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
  return poll(&one, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0))) == 1 &&
         getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &failure, &size) == 0 && failure == ECONNREFUSED;
}

class RemoteRoute : public Route {
 public:
  RemoteRoute(TlsServer server, std::optional<std::string> token)
      : server_(std::move(server)), token_(std::move(token)) {}

  HttpReply ask(const HttpRequest& request, std::chrono::milliseconds timeout) const override {
    return ask_by_tls(server_, request,
                      {network_timeout, std::min<std::chrono::milliseconds>(timeout, answer_timeout)});
  }

  Result<std::string> authorization(const std::string& method, const std::string& path) const override {
    if (token_) return "Bearer " + *token_;
    auto credential =
        tools::make_credential(tools::statement(method, path, tools::authority(server_.host, server_.port)));
    if (!credential) return credential;
    return "MUNGE " + *credential;
  }

  bool gone(std::chrono::milliseconds timeout) const override {
    const auto end = std::chrono::steady_clock::now() + timeout;
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* raw = nullptr;
    if (getaddrinfo(server_.host.c_str(), std::to_string(server_.port).c_str(), &hints, &raw) != 0) return false;
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> found(raw, freeaddrinfo);
    for (const addrinfo* one = found.get(); one != nullptr; one = one->ai_next) {
      if (!is_refused(*one, end)) return false;
    }
    return true;
  }

  std::chrono::milliseconds pause() const override { return std::chrono::milliseconds(250); }

 private:
  TlsServer server_;
  std::optional<std::string> token_;  // none: MUNGE
};

}  // namespace

Result<std::shared_ptr<const Route>> by_network(const RemoteJob& job) {
  auto server = parse_server(job.server);
  if (!server) return error(std::move(server).error());
  if (!job.authority.empty() && !std::ifstream(job.authority)) return error("cannot open " + job.authority.string());
  server->authority = job.authority;
  if (job.token_file.empty()) return std::make_shared<RemoteRoute>(*std::move(server), std::nullopt);
  auto token = tools::read_token(job.token_file);
  if (!token) return error(std::move(token).error());
  return std::make_shared<RemoteRoute>(*std::move(server), *std::move(token));
}

}  // namespace cppc::migrate
