#include "agent/link.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace cppc::migration {
namespace {

/// A listening socket of this machine alone.
class ListeningSocket {
 public:
  explicit ListeningSocket(int family) : socket_(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_storage storage{};
    auto* const address = reinterpret_cast<sockaddr*>(&storage);
    storage.ss_family = static_cast<sa_family_t>(family);
    socklen_t size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    if (family == AF_INET) reinterpret_cast<sockaddr_in&>(storage).sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (family == AF_INET6) reinterpret_cast<sockaddr_in6&>(storage).sin6_addr = in6addr_loopback;
    if (bind(socket_, address, size) != 0 || listen(socket_, 4) != 0 || getsockname(socket_, address, &size) != 0)
      return;
    port_ = ntohs(family == AF_INET ? reinterpret_cast<sockaddr_in&>(storage).sin_port
                                    : reinterpret_cast<sockaddr_in6&>(storage).sin6_port);
  }
  ~ListeningSocket() { close(socket_); }
  ListeningSocket(const ListeningSocket&) = delete;
  ListeningSocket& operator=(const ListeningSocket&) = delete;

  /// 0 where this machine does not have the family.
  [[nodiscard]] int port() const { return port_; }
  bool connected() const {
    const int one = accept(socket_, nullptr, nullptr);
    return one >= 0 && close(one) == 0;
  }

 private:
  int socket_;
  int port_ = 0;
};

TEST(LinkTest, ConnectsByIPv4) {
  const ListeningSocket listener(AF_INET);
  ASSERT_TRUE(Link::connect("127.0.0.1:" + std::to_string(listener.port())));
  EXPECT_TRUE(listener.connected());
}

TEST(LinkTest, ConnectsByIPv6) {
  const ListeningSocket listener(AF_INET6);
  if (listener.port() == 0) GTEST_SKIP() << "this machine has no IPv6";
  ASSERT_TRUE(Link::connect("[::1]:" + std::to_string(listener.port())));
  EXPECT_TRUE(listener.connected());
}

TEST(LinkTest, TakesTheFirstAddressThatAnswers) {
  const ListeningSocket listener(AF_INET6);
  if (listener.port() == 0) GTEST_SKIP() << "this machine has no IPv6";
  ASSERT_TRUE(Link::connect("nonsense,127.0.0.1:1,[::1]:" + std::to_string(listener.port())));
  EXPECT_TRUE(listener.connected());
}

}  // namespace
}  // namespace cppc::migration
