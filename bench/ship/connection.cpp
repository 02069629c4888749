#include "connection.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace cppc::bench {
namespace {

tl::unexpected<std::string> failed(const std::string& what) { return failure(what + ": " + std::strerror(errno)); }

}  // namespace

Connection::Connection(UniqueFd socket) : socket_(std::move(socket)) {
  const int on = 1;  // a short answer must not wait for company
  setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Result<Connection> Connection::to(const std::string& host, std::uint16_t port) {
  const addrinfo hints{.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
  addrinfo* list = nullptr;
  if (const int rc = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list); rc != 0)
    return failure("no address of " + host + ": " + gai_strerror(rc));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(list, freeaddrinfo);
  UniqueFd socket(::socket(list->ai_family, list->ai_socktype | SOCK_CLOEXEC, 0));
  if (socket.get() < 0 || connect(socket.get(), list->ai_addr, list->ai_addrlen) != 0)
    return failed("cannot reach " + host);
  return Connection(std::move(socket));
}

Result<void> Connection::send(std::span<const std::byte> bytes, Waiting waiting) {
  const int flags = MSG_NOSIGNAL | (waiting == Waiting::polling ? MSG_DONTWAIT : 0);
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), flags);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (sent < 0) return failed("cannot send");
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return {};
}

Result<void> Connection::receive(std::span<std::byte> bytes, Waiting waiting) {
  const int flags = waiting == Waiting::polling ? MSG_DONTWAIT : 0;
  while (!bytes.empty()) {
    const ssize_t got = recv(socket_.get(), bytes.data(), bytes.size(), flags);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return failed("cannot receive");
    if (got == 0) return failure("the other end has gone");
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

Result<void> Connection::send_message(const std::string& message) {
  const std::uint64_t size = message.size();
  return send(std::as_bytes(std::span(&size, 1))).and_then([&] { return send(std::as_bytes(std::span(message))); });
}

Result<std::string> Connection::receive_message() {
  std::uint64_t size = 0;
  if (auto got = receive(std::as_writable_bytes(std::span(&size, 1))); !got) return tl::unexpected(got.error());
  std::string message(size, '\0');
  if (auto got = receive(std::as_writable_bytes(std::span(message))); !got) return tl::unexpected(got.error());
  return message;
}

bool Connection::has_message() const {
  char first = 0;
  return recv(socket_.get(), &first, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || (errno != EAGAIN && errno != EINTR);
}

Result<Listener> Listener::open() {
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {}, .sin_zero = {}};
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (socket.get() < 0 || bind(socket.get(), generic, length) != 0 || listen(socket.get(), 2) != 0 ||
      getsockname(socket.get(), generic, &length) != 0)
    return failed("cannot listen");
  return Listener(std::move(socket), ntohs(address.sin_port));
}

Result<Connection> Listener::accept() {
  UniqueFd socket(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (socket.get() < 0) return failed("cannot accept");
  return Connection(std::move(socket));
}

}  // namespace cppc::bench
