#include "relay.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "running_loop.hpp"
#include "socket.hpp"

namespace cppc::run {
namespace {

using test::Socket;

// A listener stands for mpirun, sockets that connect to the relay stand for daemons.
class RelayTest : public testing::Test {
 protected:
  struct Pair {
    Socket daemon, mpirun;
  };

  ~RelayTest() override {
    running_.call([this] { return relay_.reset(), 0; });
  }

  Pair connect(const std::string& node) {
    const auto port = running_.call([&] { return relay_->open(node, {"127.0.0.1", mpirun_.port()}).value(); });
    Socket daemon = Socket::connect_tcp(port);
    return {std::move(daemon), mpirun_.accept()};
  }

  void evacuated(const std::string& node) {
    running_.call([&] { return relay_->evacuated(node), 0; });
  }
  void over(bool orderly) {
    running_.call([&] { return relay_->over(orderly), 0; });
  }
  void withhold(bool withholds) {
    running_.call([&] { return relay_->withhold(withholds), 0; });
  }
  // Whatever has been said before has been dealt with when a message has made it through.
  static void settle(Pair& other) {
    other.daemon.send("x");
    ASSERT_EQ(other.mpirun.receive(1), "x");
  }

  test::RunningLoop running_;
  test::TcpListener mpirun_;
  std::unique_ptr<Relay> relay_ = std::make_unique<Relay>(
      running_.context(), tools::usual_silence, [](const std::string& node, bool) { return node == "spare"; });
};

TEST_F(RelayTest, LeadsBothWays) {
  Pair node0 = connect("node0"), node1 = connect("node1");
  node0.daemon.send("hello");
  node1.daemon.send("servus");
  EXPECT_EQ(node1.mpirun.receive(6), "servus");
  EXPECT_EQ(node0.mpirun.receive(5), "hello");
  node0.mpirun.send("launch");
  EXPECT_EQ(node0.daemon.receive(6), "launch");
}

TEST_F(RelayTest, OnceTheDaemonIsThereNobodyElseGetsIn) {
  const auto port = running_.call([&] { return relay_->open("node0", {"127.0.0.1", mpirun_.port()}).value(); });
  Socket silent = Socket::connect_tcp(port);
  Socket its_mpirun = mpirun_.accept();
  Pair node{Socket::connect_tcp(port), mpirun_.accept()};
  settle(node);
  running_.call([&] { return relay_->complete("node0"), relay_->complete("node9"), 0; });
  EXPECT_TRUE(silent.closed());
  EXPECT_TRUE(its_mpirun.closed());
  EXPECT_THROW(Socket::connect_tcp(port), std::runtime_error);
  settle(node);
}

TEST_F(RelayTest, IdleClientsDoNotBlockTheDaemon) {
  const auto port = running_.call([&] { return relay_->open("node0", {"127.0.0.1", mpirun_.port()}).value(); });
  std::vector<Socket> silent, led;
  for (int i = 0; i < 20; ++i) silent.push_back(Socket::connect_tcp(port)), led.push_back(mpirun_.accept());
  EXPECT_TRUE(silent.front().closed());
  Pair node{Socket::connect_tcp(port), mpirun_.accept()};
  settle(node);
}

TEST_F(RelayTest, WhoHasSpokenIsNotPutOut) {
  const auto port = running_.call([&] { return relay_->open("node0", {"127.0.0.1", mpirun_.port()}).value(); });
  std::vector<Pair> speakers;
  for (int i = 0; i < 8; ++i) {
    speakers.push_back({Socket::connect_tcp(port), mpirun_.accept()});
    settle(speakers.back());
  }
  EXPECT_TRUE(Socket::connect_tcp(port).closed());
  for (Pair& one : speakers) settle(one);
}

TEST_F(RelayTest, LosesNothingOfMuch) {
  Pair node = connect("node0");
  std::string much;
  while (much.size() < 5'000'000) much += std::to_string(much.size()) + std::string(1000, 'x');
  const auto sender = std::async(std::launch::async, [&] { node.mpirun.send(much); });
  EXPECT_EQ(node.daemon.receive(much.size()), much);
}

TEST_F(RelayTest, TheLossOfADaemonReachesMpirunAfterItsLastWords) {
  Pair node = connect("node0");
  node.daemon.send("last words");
  node.daemon.close();
  EXPECT_EQ(node.mpirun.receive(100), "last words");
}

TEST_F(RelayTest, AConnectionThatBreaksReachesMpirun) {
  Pair node = connect("node0");
  node.daemon.reset();
  EXPECT_TRUE(node.mpirun.closed());
}

TEST_F(RelayTest, ANodeThatVanishesAndMayBeSparedIsNotMissed) {
  Pair spare = connect("spare"), other = connect("node1");
  settle(spare);
  spare.daemon.reset();
  settle(other);
  spare.mpirun.send("are you there?");
  settle(other);
  over(/*orderly=*/false);
  EXPECT_TRUE(spare.mpirun.closed());
}

TEST_F(RelayTest, WhatIsWithheldIsPassedOnLater) {
  Pair node0 = connect("node0"), node1 = connect("node1");
  settle(node0);
  settle(node1);
  std::atomic<bool> passed_on = false;
  const auto hear = [&](Socket& socket, std::size_t bytes) {
    return std::async(std::launch::async, [&passed_on, &socket, bytes] {
      const std::string text = socket.receive(bytes);
      return text + (passed_on ? "" : ", too early");
    });
  };
  withhold(true);
  auto by_mpirun = hear(node0.mpirun, 16), by_daemon = hear(node1.daemon, 3);
  node0.daemon.send("a rank has ended");
  node1.mpirun.send("end");
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // in which it could come
  passed_on = true;
  withhold(false);
  EXPECT_EQ(by_mpirun.get(), "a rank has ended");
  EXPECT_EQ(by_daemon.get(), "end");
  settle(node0);
  settle(node1);
}

TEST_F(RelayTest, OfALostJobMpirunAndItsDaemonsHearNothing) {
  Pair node0 = connect("node0"), node1 = connect("node1");
  settle(node0);
  settle(node1);
  withhold(true);
  node0.daemon.send("a rank has ended");
  node1.mpirun.send("end");
  running_.call([&] { return relay_->part(), 0; });
  for (Socket* const socket : {&node0.daemon, &node0.mpirun, &node1.daemon, &node1.mpirun})
    EXPECT_TRUE(socket->closed());
}

TEST_F(RelayTest, ADaemonThatEndsInGoodOrderIsMissed) {
  Pair spare = connect("spare");
  settle(spare);
  spare.daemon.close();
  EXPECT_TRUE(spare.mpirun.closed());
}

TEST_F(RelayTest, TellsWhenADaemonHasGone) {
  Pair node = connect("node0");
  settle(node);
  std::promise<void> gone, nobody_there;
  running_.call([&] {
    relay_->when_gone("node0", [&] { gone.set_value(); });
    relay_->when_gone("node9", [&] { nobody_there.set_value(); });
    return 0;
  });
  nobody_there.get_future().wait();
  auto told = gone.get_future();
  settle(node);
  EXPECT_EQ(told.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  node.daemon.close();
  told.wait();
}

TEST_F(RelayTest, ADaemonWhoseMachineAnswersNothingIsSilent) {
  std::promise<std::string> silent;
  running_.call([&] {
    relay_ = std::make_unique<Relay>(running_.context(), std::chrono::milliseconds(700),
                                     [&](const std::string& node, bool is_silent) {
                                       silent.set_value(is_silent ? node : "broken");
                                       return false;
                                     });
    return 0;
  });
  Pair node = connect("node0");
  settle(node);
  node.daemon.answer_nothing();
  node.mpirun.send("are you there?");
  EXPECT_EQ(silent.get_future().get(), "node0");
  EXPECT_TRUE(node.mpirun.closed());
}

TEST_F(RelayTest, TheEndOfMpirunReachesTheDaemonAfterItsLastWords) {
  Pair node = connect("node0");
  node.mpirun.send("exit");
  node.mpirun.close();
  EXPECT_EQ(node.daemon.receive(100), "exit");
}

TEST_F(RelayTest, TheDaemonOfAnEvacuatedNodeMayGo) {
  Pair gone = connect("node0"), other = connect("node1");
  evacuated("node0");
  gone.daemon.reset();
  settle(other);
  gone.mpirun.send("launch something, node0");  // goes nowhere, and does no harm
  settle(other);
  over(/*orderly=*/true);
  settle(other);
  gone.mpirun.send("exit");
  EXPECT_TRUE(gone.mpirun.closed());
  settle(other);
}

TEST_F(RelayTest, WhatMpirunSaysBeforeTheEndDoesNotEndIt) {
  Pair gone = connect("node0"), other = connect("node1");
  evacuated("node0");
  gone.daemon.reset();
  gone.mpirun.send("launch");
  settle(other);
  over(/*orderly=*/true);
  std::future<bool> closed = std::async(std::launch::async, [&] { return gone.mpirun.closed(); });
  EXPECT_EQ(closed.wait_for(std::chrono::milliseconds(1500)), std::future_status::timeout);
  other.daemon.close();  // the daemons have obeyed mpirun, whatever it has said here
  EXPECT_TRUE(closed.get());
}

// A node without power does not say that it is gone.
TEST_F(RelayTest, AnEvacuatedNodeThatIsSilentDoesNotHoldUpTheEnd) {
  Pair silent = connect("node0"), other = connect("node1");
  evacuated("node0");
  over(/*orderly=*/true);
  settle(other);
  silent.mpirun.send("exit");
  EXPECT_EQ(silent.daemon.receive(4), "exit");
  EXPECT_TRUE(silent.mpirun.closed());
}

TEST_F(RelayTest, WhenMpirunEndsTheJobEvacuatedNodesAreGivenUpAtOnce) {
  Pair gone = connect("node0");
  evacuated("node0");
  gone.daemon.reset();
  over(/*orderly=*/false);
  EXPECT_TRUE(gone.mpirun.closed());
}

TEST_F(RelayTest, TellsWhenADaemonHasSpoken) {
  Pair node = connect("node0");
  settle(node);
  std::promise<void> heard;
  std::future<void> told = heard.get_future();
  running_.call([&] { return relay_->when_received("node0", [&] { heard.set_value(); }), 0; });
  EXPECT_EQ(told.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  node.daemon.send("my agent has exited");
  told.get();
}

TEST_F(RelayTest, ADaemonThatIsNotThereHasSpoken) {
  std::promise<void> none, gone;
  running_.call([&] { return relay_->when_received("node7", [&] { none.set_value(); }), 0; });
  none.get_future().get();
  Pair node = connect("node0");
  running_.call([&] { return relay_->when_received("node0", [&] { gone.set_value(); }), 0; });
  node.daemon.close();
  gone.get_future().get();
}

TEST_F(RelayTest, ANodeHasOneDaemon) {
  connect("node0");
  running_.call([&] {
    EXPECT_FALSE(relay_->open("node0", {"127.0.0.1", 1}).has_value());
    return 0;
  });
}

TEST_F(RelayTest, AnMpirunThatDoesNotAnswerIsALoss) {
  std::uint16_t nobody = 0;
  { nobody = test::TcpListener().port(); }
  const auto port = running_.call([&] { return relay_->open("node0", {"127.0.0.1", nobody}).value(); });
  EXPECT_TRUE(Socket::connect_tcp(port).closed());
}

}  // namespace
}  // namespace cppc::run
