#include "sockets.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <sys/stat.h>

#include <algorithm>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <cerrno>
#include <cstring>
#include <memory>

#include "../common/job_directory.hpp"

namespace cppc::tools {
namespace {

using asio::generic::stream_protocol;
using asio::ip::tcp;
using boost::system::error_code;

// A link's own IPv6 addresses mean nothing without the name that each machine has for its interface there.
bool is_seen_by_others(const ifaddrs& interface) {
  if (interface.ifa_addr == nullptr || (interface.ifa_flags & IFF_UP) == 0 || (interface.ifa_flags & IFF_LOOPBACK) != 0)
    return false;
  if (interface.ifa_addr->sa_family != AF_INET6) return interface.ifa_addr->sa_family == AF_INET;
  return !IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(interface.ifa_addr)->sin6_addr);
}

std::string numeric(const sockaddr& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.sa_family == AF_INET)
    return inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address).sin_addr, text, sizeof text);
  inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr, text, sizeof text);
  return std::string("[").append(text).append("]");
}

}  // namespace

Result<Listener> listen_at(asio::io_context& context, const tcp::endpoint& endpoint, bool again) {
  ListeningSocket socket(context);
  error_code failure;
  socket.open(endpoint.protocol(), failure);
  if (!failure) fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
  if (!failure && again) socket.set_option(ListeningSocket::reuse_address(true), failure);
  if (!failure && endpoint.address().is_v6()) socket.set_option(asio::ip::v6_only(false), failure);
  if (!failure) socket.bind(endpoint, failure);
  if (!failure) socket.listen(ListeningSocket::max_listen_connections, failure);
  if (!failure) socket.non_blocking(true, failure);
  if (failure) return error(failure.message());
  const auto own = socket.local_endpoint(failure);
  if (failure) return error(failure.message());
  tcp::endpoint bound;
  std::memcpy(bound.data(), own.data(), own.size());
  return Listener{std::move(socket), bound.port()};
}

Result<Listener> listen_on_tcp(asio::io_context& context, Reach reach) {
  auto listener = reach == Reach::machine ? listen_at(context, {asio::ip::address_v4::loopback(), 0}, /*again=*/false)
                                          : listen_at(context, {tcp::v6(), 0}, /*again=*/false);
  // Where IPv6 is switched off there are no such sockets.
  if (!listener && reach == Reach::network) listener = listen_at(context, {tcp::v4(), 0}, /*again=*/false);
  if (!listener) return error("cannot listen for connections: " + listener.error());
  return listener;
}

Result<ListeningSocket> listen_on_unix(asio::io_context& context, const std::filesystem::path& path) {
  if (const auto address = socket_address(path); !address) return error(address.error());
  ListeningSocket socket(context);
  error_code failure;
  socket.open(asio::local::stream_protocol(), failure);
  if (!failure) fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
  if (!failure) socket.bind(asio::local::stream_protocol::endpoint(path.string()), failure);
  if (!failure && chmod(path.c_str(), 0600) != 0) failure.assign(errno, boost::system::system_category());
  if (!failure) socket.listen(ListeningSocket::max_listen_connections, failure);
  if (!failure) socket.non_blocking(true, failure);
  if (failure) return error("cannot listen at " + path.string() + ": " + failure.message());
  return socket;
}

Result<tcp::endpoint> numeric_endpoint(const Endpoint& endpoint) {
  error_code failure;
  const auto address = asio::ip::make_address(endpoint.address, failure);
  if (failure) return error("\"" + endpoint.address + "\" is not an address");
  return tcp::endpoint(address, endpoint.port);
}

Result<Socket> open_socket(asio::io_context& context, const stream_protocol& protocol) {
  Socket socket(context);
  error_code failure;
  socket.open(protocol, failure);
  if (failure) return error(failure.message());
  fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
  return socket;
}

// Asio's own accept() would leave the socket open to children that are being started.
Socket accept_one(ListeningSocket& listener, error_code& failure) {
  Socket socket(listener.get_executor());
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  const int fd =
      accept4(listener.native_handle(), reinterpret_cast<sockaddr*>(&peer), &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) {
    failure.assign(errno, boost::system::system_category());
    return socket;
  }
  socket.assign(stream_protocol(peer.ss_family, 0), fd, failure);
  if (failure) ::close(fd);
  return socket;
}

void tune_tcp(Socket& socket, std::chrono::seconds silence) {
  const auto set = [&socket](int level, int option, int value) {
    setsockopt(socket.native_handle(), level, option, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  const int seconds = static_cast<int>(silence.count());
  constexpr int probes = 2;
  const int interval = std::max(1, seconds / 6);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPINTVL, interval);
  set(IPPROTO_TCP, TCP_KEEPIDLE, std::max(1, seconds - probes * interval));
  set(IPPROTO_TCP, TCP_KEEPCNT, probes);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, seconds * 1000);
}

std::optional<std::chrono::milliseconds> unanswered_for(Socket& socket) {
  constexpr int questions = 2;
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(socket.native_handle(), IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return std::nullopt;
  if (info.tcpi_probes + info.tcpi_retransmits < questions) return std::nullopt;
  return std::chrono::milliseconds(std::min(info.tcpi_last_ack_recv, info.tcpi_last_data_recv));
}

std::optional<uid_t> user_at(Socket& socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  const bool known = getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid != 0;
  return known ? std::optional(peer.uid) : std::nullopt;
}

bool is_own_peer(Socket& socket) {
  const auto user = user_at(socket);
  return user && (*user == geteuid() || *user == 0);
}

std::string reachable_at(std::uint16_t port, Reach reach) {
  const std::string loopback = std::string("127.0.0.1:").append(std::to_string(port));
  if (reach == Reach::machine) return loopback;
  ifaddrs* raw = nullptr;
  if (getifaddrs(&raw) != 0) return loopback;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> interfaces(raw, freeifaddrs);
  std::string list;
  for (const int family : {AF_INET, AF_INET6}) {
    for (const ifaddrs* one = interfaces.get(); one != nullptr; one = one->ifa_next) {
      if (!is_seen_by_others(*one) || one->ifa_addr->sa_family != family) continue;
      if (!list.empty()) list += ',';
      list += numeric(*one->ifa_addr) + ":" + std::to_string(port);
    }
  }
  return list.empty() ? loopback : list;
}

}  // namespace cppc::tools
