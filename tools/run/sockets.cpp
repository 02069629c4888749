#include "sockets.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "../common/job_directory.hpp"

namespace cppc::run {
namespace {

using tools::error;

constexpr int flags = SOCK_CLOEXEC | SOCK_NONBLOCK;

std::string reason() { return std::strerror(errno); }

void set_option(int socket, int level, int option, int value) {
  setsockopt(socket, level, option, &value, sizeof value);
}

UniqueFd bound_to_v4(in_addr_t address) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr = htonl(address);
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | flags, 0));
  if (socket && bind(socket.get(), reinterpret_cast<const sockaddr*>(&v4), sizeof v4) == 0) return socket;
  return {};
}

// Where IPv6 is switched off there are no such sockets.
UniqueFd bound_to_any() {
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  UniqueFd socket(::socket(AF_INET6, SOCK_STREAM | flags, 0));
  if (socket) {
    set_option(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
    if (bind(socket.get(), reinterpret_cast<const sockaddr*>(&v6), sizeof v6) == 0) return socket;
  }
  return bound_to_v4(INADDR_ANY);
}

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

Result<Listener> listen_on_tcp(Reach reach) {
  UniqueFd socket = reach == Reach::machine ? bound_to_v4(INADDR_LOOPBACK) : bound_to_any();
  if (!socket || listen(socket.get(), SOMAXCONN) != 0) return error("cannot listen for connections: " + reason());
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &size) != 0) {
    return error("cannot find out where connections are listened for: " + reason());
  }
  const in_port_t port = own.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(own).sin6_port
                                                   : reinterpret_cast<const sockaddr_in&>(own).sin_port;
  return Listener{std::move(socket), ntohs(port)};
}

Result<UniqueFd> listen_on_unix(const std::filesystem::path& path) {
  const auto address = tools::socket_address(path);
  if (!address) return error(address.error());
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | flags, 0));
  if (!socket || bind(socket.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0 ||
      chmod(path.c_str(), 0600) != 0 || listen(socket.get(), SOMAXCONN) != 0) {
    return error("cannot listen at " + path.string() + ": " + reason());
  }
  return socket;
}

UniqueFd accept_one(int listener) { return UniqueFd(accept4(listener, nullptr, nullptr, flags)); }

Result<UniqueFd> start_connecting(const Endpoint& to) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  addrinfo* raw = nullptr;
  if (getaddrinfo(to.address.c_str(), std::to_string(to.port).c_str(), &hints, &raw) != 0) {
    return error("\"" + to.address + "\" is not an address");
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> found(raw, freeaddrinfo);
  UniqueFd socket(::socket(found->ai_family, SOCK_STREAM | flags, 0));
  if (!socket || (connect(socket.get(), found->ai_addr, found->ai_addrlen) != 0 && errno != EINPROGRESS)) {
    return error("cannot connect to " + to.address + ":" + std::to_string(to.port) + ": " + reason());
  }
  return socket;
}

void tune_tcp(int socket) {
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 15);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000);
}

bool is_own_peer(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && (peer.uid == geteuid() || peer.uid == 0);
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

}  // namespace cppc::run
