#include "socket.hpp"

#include <linux/filter.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "cppc/unique_fd.hpp"

namespace cppc::test {
namespace {

[[noreturn]] void fail(const char* what) { throw std::runtime_error(std::string(what) + ": " + std::strerror(errno)); }

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

}  // namespace

Socket::Socket(int fd) : fd_(fd) {
  const timeval minute{60, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &minute, sizeof minute);
}

void connect(int socket, std::uint16_t port) {
  const sockaddr_in address = loopback(port);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fail("connect");
}

Socket Socket::connect_tcp(std::uint16_t port) {
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  connect(socket.get(), port);
  return Socket(socket.release());
}

Socket Socket::connect_unix(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  if (fd < 0 || ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fail("connect");
  return Socket(fd);
}

void Socket::send(const std::string& text) {
  if (::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size())) fail("send");
}

std::string Socket::receive(std::size_t bytes) {
  std::string text(bytes, '\0');
  const ssize_t got = recv(fd_.get(), text.data(), bytes, MSG_WAITALL);
  if (got < 0 && errno == EAGAIN) fail("nothing was said for a minute");
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return text;
}

std::string Socket::line() {
  std::string text;
  for (std::string one = receive(1); !one.empty() && one != "\n"; one = receive(1)) text += one;
  return text;
}

bool Socket::closed() { return receive(1).empty(); }

void Socket::answer_nothing() {
  sock_filter drops_all = BPF_STMT(BPF_RET | BPF_K, 0);
  const sock_fprog filter{1, &drops_all};
  if (setsockopt(fd_.get(), SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) != 0) fail("setsockopt");
}

void Socket::reset() {
  const linger now{1, 0};
  setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  fd_.reset();
}

TcpListener::TcpListener() : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 || listen(fd_.get(), 16) != 0 ||
      getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    fail("listen");
  }
  port_ = ntohs(address.sin_port);
}

Socket TcpListener::accept() {
  const int fd = ::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC);
  if (fd < 0) fail("accept");
  return Socket(fd);
}

}  // namespace cppc::test
