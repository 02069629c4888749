#include "sockets.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>

namespace cppc::run {
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

bool connects(const Endpoint& to) {
  const auto socket = start_connecting(to);
  if (!socket) return false;
  pollfd ready{socket->get(), POLLOUT, 0};
  int failure = 0;
  socklen_t size = sizeof failure;
  return poll(&ready, 1, 60'000) == 1 && getsockopt(socket->get(), SOL_SOCKET, SO_ERROR, &failure, &size) == 0 &&
         failure == 0;
}

TEST(Sockets, AJobOnThisMachineAloneIsReachedByLoopback) {
  EXPECT_EQ(reachable_at(4711, Reach::machine), "127.0.0.1:4711");
}

TEST(Sockets, WithIPv6AloneItIsPublishedAndAnswers) {
  const int how = in_own_network(kInterface + kIPv6, [] {
    const auto listener = listen_on_tcp(Reach::network);
    if (!listener) return 1;
    if (reachable_at(listener->port, Reach::network) != "[fd77::1]:" + std::to_string(listener->port)) return 2;
    return connects({"fd77::1", listener->port}) && accept_one(listener->socket.get()) ? 0 : 3;
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
}  // namespace cppc::run
