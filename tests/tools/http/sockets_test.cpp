#include "sockets.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <thread>

#include "../socket.hpp"

namespace cppc::tools {
namespace {

constexpr int kNotPossible = 77;

/// What `body` returns in a process with a network of its own that `commands` have set up; kNotPossible without.
int in_own_network(const std::string& commands, const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    const int flags = CLONE_NEWNET | (geteuid() == 0 ? 0 : CLONE_NEWUSER);
    const bool own = unshare(flags) == 0 && std::system(("PATH=$PATH:/usr/sbin:/sbin; " + commands).c_str()) == 0;
    _exit(own ? body() : kNotPossible);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

const std::string kInterface =
    "ip link set lo up && ip link add eth0 type veth peer name eth1 && ip link set eth1 up && ip link set eth0 up";
const std::string kIPv4 = " && ip address add 10.77.0.1/24 dev eth0";
const std::string kIPv6 = " && ip address add fd77::1/64 dev eth0 nodad";

// The system may not know the way to a new address at once.
bool connects(const Endpoint& to) {
  asio::io_context context;
  boost::system::error_code failure;
  for (int attempt = 0; attempt < 20; ++attempt) {
    Socket socket(context);
    socket.connect(numeric_endpoint(to).value(), failure);
    if (!failure) return true;
  }
  return false;
}

TEST(Sockets, AMachineThatLeavesQuestionsUnansweredIsSilent) {
  test::TcpListener listener;
  test::Socket other = test::Socket::connect_tcp(listener.port());
  asio::io_context context;
  Socket own(context, asio::generic::stream_protocol(AF_INET, IPPROTO_TCP), listener.accept().release());
  (void)own.send(asio::buffer("answered", 8));
  EXPECT_EQ(unanswered_for(own), std::nullopt);
  other.answer_nothing();
  (void)own.send(asio::buffer("lost", 4));
  std::optional<std::chrono::milliseconds> silent;
  while (!(silent = unanswered_for(own))) std::this_thread::yield();
  EXPECT_GT(silent->count(), 0);
}

TEST(Sockets, AJobOnThisMachineAloneIsReachedByLoopback) {
  EXPECT_EQ(reachable_at(4711, Reach::machine), "127.0.0.1:4711");
}

TEST(Sockets, WithIPv6AloneItIsPublishedAndAnswers) {
  const int how = in_own_network(kInterface + kIPv6, [] {
    asio::io_context context;
    auto listener = listen_on_tcp(context, Reach::network);
    if (!listener) return 1;
    if (reachable_at(listener->port, Reach::network) != "[fd77::1]:" + std::to_string(listener->port)) return 2;
    boost::system::error_code failure;
    return connects({"fd77::1", listener->port}) && accept_one(listener->socket, failure).is_open() ? 0 : 3;
  });
  if (how == kNotPossible) GTEST_SKIP() << "this needs a network namespace with IPv6";
  EXPECT_EQ(how, 0);
}

TEST(Sockets, BothFamiliesArePublished) {
  const int how = in_own_network(kInterface + kIPv4 + kIPv6, [] {
    return reachable_at(4711, Reach::network) == "10.77.0.1:4711,[fd77::1]:4711" ? 0 : 1;
  });
  if (how == kNotPossible) GTEST_SKIP() << "this needs a network namespace with IPv6";
  EXPECT_EQ(how, 0);
}

}  // namespace
}  // namespace cppc::tools
