#include "tls_stream.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <openssl/err.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>

namespace cppc::run {
namespace {

using namespace std::chrono_literals;

constexpr auto patience_with_strangers = 5s;  // for all that comes before they are admitted
constexpr auto patience = 60s;                // for the rest of the request, and for the answer
constexpr std::size_t most_of_strangers = 16 << 10;

int at_most(std::size_t size) { return static_cast<int>(std::min<std::size_t>(size, std::numeric_limits<int>::max())); }

}  // namespace

TlsStream::TlsStream(tools::UniqueFd socket, SSL_CTX* context, int closing, std::size_t most)
    : socket_(std::move(socket)),
      session_(SSL_new(context)),
      closing_(closing),
      most_(most),
      left_(most_of_strangers),
      deadline_(Clock::now() + patience_with_strangers) {
  fcntl(socket_.get(), F_SETFD, FD_CLOEXEC);
  fcntl(socket_.get(), F_SETFL, fcntl(socket_.get(), F_GETFL) | O_NONBLOCK);
  if (!session_) return;
  SSL_set_fd(session_.get(), socket_.get());
  SSL_set_app_data(session_.get(), this);
}

TlsStream& TlsStream::of(const httplib::Request& request) {
  return *static_cast<TlsStream*>(SSL_get_app_data(request.ssl));
}

// A step of OpenSSL's, repeated until the network has let it come to its end.
template <class Step>
int TlsStream::carry_out(Step step) {
  while (true) {
    ERR_clear_error();
    const int result = step();
    if (result > 0) return result;
    switch (SSL_get_error(session_.get(), result)) {
      case SSL_ERROR_WANT_READ:
        if (!wait_for(POLLIN)) return -1;
        break;
      case SSL_ERROR_WANT_WRITE:
        if (!wait_for(POLLOUT)) return -1;
        break;
      case SSL_ERROR_ZERO_RETURN:
        return 0;
      default:
        return -1;
    }
  }
}

bool TlsStream::wait_for(short events) const {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now());
    if (left <= 0ms) return false;
    std::array<pollfd, 2> watched{{{socket_.get(), events, 0}, {closing_, POLLIN, 0}}};
    const int ready = poll(watched.data(), admitted_ ? 1 : 2, static_cast<int>(left.count()));
    if (ready < 0 && errno == EINTR) continue;
    return ready > 0 && watched[1].revents == 0;
  }
}

bool TlsStream::shake_hands() {
  return session_ && carry_out([this] { return SSL_accept(session_.get()); }) == 1;
}

void TlsStream::admit() {
  admitted_ = true;
  left_ = most_;
  deadline_ = Clock::now() + patience;
}

ssize_t TlsStream::read(char* data, size_t size) {
  if (left_ == 0) return -1;
  const int got = carry_out([&] { return SSL_read(session_.get(), data, at_most(std::min(size, left_))); });
  if (got > 0) left_ -= static_cast<std::size_t>(got);
  return got;
}

ssize_t TlsStream::write(const char* data, size_t size) {
  if (size == 0) return 0;
  const int sent = carry_out([&] { return SSL_write(session_.get(), data, at_most(size)); });
  return sent > 0 ? sent : -1;
}

// To close a socket that has something to read left takes the answer from the other side's hands.
void TlsStream::part() {
  admitted_ = false;
  deadline_ = Clock::now() + patience_with_strangers;
  SSL_shutdown(session_.get());
  shutdown(socket_.get(), SHUT_WR);
  std::array<char, 4096> rest{};
  while (wait_for(POLLIN)) {
    const ssize_t got = recv(socket_.get(), rest.data(), rest.size(), 0);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return;
  }
}

void TlsStream::get_remote_ip_and_port(std::string& ip, int& port) const {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> service{};
  auto* const address = reinterpret_cast<sockaddr*>(&peer);
  if (getpeername(socket_.get(), address, &size) != 0 ||
      getnameinfo(address, size, host.data(), host.size(), service.data(), service.size(),
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return;
  }
  ip = host.data();
  port = std::atoi(service.data());
}

}  // namespace cppc::run
