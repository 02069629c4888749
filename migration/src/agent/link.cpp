#include "link.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

namespace cppc::migration {
namespace {

constexpr int kConnectMilliseconds = 3000;
/// How often all addresses are tried: a node that has been busy, or paused, may find the time for one over.
constexpr int kRounds = 5;
constexpr auto kBetweenRounds = std::chrono::milliseconds(500);

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

bool finish_connecting(int socket) {
  pollfd ready{socket, POLLOUT, 0};
  if (poll(&ready, 1, kConnectMilliseconds) != 1) return false;
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

/// None when nobody answers there.
UniqueFd connect_one(std::string_view address) {
  const auto colon = address.rfind(':');
  if (colon == std::string_view::npos) return {};
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  std::string_view host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  addrinfo* found = nullptr;
  if (getaddrinfo(std::string(host).c_str(), std::string(address.substr(colon + 1)).c_str(), &hints, &found) != 0)
    return {};
  const Addresses addresses(found, freeaddrinfo);
  UniqueFd one(socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!one) return {};
  if ((connect(one.get(), found->ai_addr, found->ai_addrlen) != 0 && errno != EINPROGRESS) ||
      !finish_connecting(one.get()))
    return {};
  const int on = 1;
  setsockopt(one.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return one;
}

UniqueFd connect_first(std::string_view addresses) {
  for (std::string_view rest = addresses; !rest.empty();) {
    const auto comma = rest.find(',');
    if (UniqueFd socket = connect_one(rest.substr(0, comma))) return socket;
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
  }
  return {};
}

}  // namespace

tl::expected<Link, cppc_status> Link::connect(std::string_view addresses) {
  for (int round = 0; round < kRounds; ++round) {
    if (round > 0) std::this_thread::sleep_for(kBetweenRounds);
    if (UniqueFd socket = connect_first(addresses)) return Link(std::move(socket));
  }
  spdlog::error("cannot reach cppc-run at any of {}", addresses);
  return tl::unexpected(CPPC_ERR_SYSTEM);
}

bool Link::closed() const {
  pollfd end{socket_.get(), POLLRDHUP, 0};
  return poll(&end, 1, 0) > 0;
}

tl::expected<void, cppc_status> Link::send(const wire::Message& message) { return send_line(wire::encode(message)); }

void Link::send_malformed() { (void)send_line("{\"type\":\n"); }

void Link::cut() { shutdown(socket_.get(), SHUT_RDWR); }

tl::expected<void, cppc_status> Link::send_line(std::string_view rest) {
  while (!rest.empty()) {
    const ssize_t sent = ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      rest.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EINTR) {
      pollfd ready{socket_.get(), POLLOUT, 0};
      poll(&ready, 1, -1);
    } else {
      spdlog::error("the connection to cppc-run is lost: {}", std::strerror(errno));
      return tl::unexpected(CPPC_ERR_PEER);
    }
  }
  return {};
}

tl::expected<std::vector<wire::Message>, cppc_status> Link::receive() {
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t got = recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (got > 0) {
      input_.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else if (got < 0 && errno == EAGAIN) {
      break;
    } else {
      return tl::unexpected(CPPC_ERR_PEER);
    }
  }
  std::vector<wire::Message> messages;
  for (auto end = input_.find('\n'); end != std::string::npos; end = input_.find('\n')) {
    auto message = wire::decode(std::string_view(input_).substr(0, end));
    if (!message) {
      spdlog::error("cppc-run sent a message that this agent does not understand: {}", input_.substr(0, end));
      return tl::unexpected(CPPC_ERR_PEER);
    }
    messages.push_back(std::move(*message));
    input_.erase(0, end + 1);
  }
  return messages;
}

}  // namespace cppc::migration
