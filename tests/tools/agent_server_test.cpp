#include "agent_server.hpp"

#include <gtest/gtest.h>

#include <future>

#include "cppc/agent_key.hpp"
#include "running_loop.hpp"
#include "socket.hpp"

namespace cppc::run {
namespace {

using test::Socket;

constexpr const char* key = "0123456789abcdef";

class AgentServerTest : public testing::Test {
 protected:
  AgentServerTest() { serve(); }
  // A new server; nobody has been there yet.
  void serve() {
    stop();
    Listener listener = listen_on_tcp(running_.context(), Reach::machine).value();
    port_ = listener.port;
    server_ = running_.call([&] {
      return std::make_unique<AgentServer>(
          std::move(listener), key, 2,
          AgentServer::Events{
              .joined = [this](const wire::Hello& hello) { note("joined " + std::to_string(hello.agent)); },
              .received = [this](const wire::Message& message) { note("received " + std::to_string(message.index())); },
              .left = [this](int agent) { note("left " + std::to_string(agent)); },
              .gone = [this](int agent,
                             bool clean) { note((clean ? "gone, clean " : "gone ") + std::to_string(agent)); }});
    });
  }
  ~AgentServerTest() override { stop(); }
  void stop() {
    running_.call([this] { return server_.reset(), 0; });
    const std::lock_guard lock(mutex_);
    notes_.clear();
  }

  void note(const std::string& what) {
    const std::lock_guard lock(mutex_);
    notes_.push_back(what);
    changed_.notify_all();
  }
  // All that has happened, once `count` things have.
  std::vector<std::string> notes(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return notes_.size() >= count; });
    return notes_;
  }
  std::vector<std::string> notes() {
    running_.call([] { return 0; });
    const std::lock_guard lock(mutex_);
    return notes_;
  }

  static std::string hello(int agent, const std::string& with_key, int agents = 2, int job_size = 4) {
    return wire::encode(wire::Hello{with_key, agent, agents, "node", 1, job_size});
  }
  static std::string hello(int agent) { return hello(agent, agent_key(key, agent)); }
  static std::string substitute(int agent, int count) {
    return wire::encode(wire::Substitute{substitute_key(key, agent, count), agent, count});
  }
  Socket connect(const std::string& first_words) {
    Socket socket = Socket::connect_tcp(port_);
    socket.send(first_words);
    return socket;
  }

  test::RunningLoop running_;
  std::uint16_t port_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> notes_;
  std::unique_ptr<AgentServer> server_;
};

using Notes = std::vector<std::string>;

TEST_F(AgentServerTest, HearsAgentsAndSpeaksToThem) {
  Socket agent0 = connect(hello(0));
  EXPECT_EQ(notes(1), (Notes{"joined 0"}));
  Socket agent1 = connect(hello(1) + wire::encode(wire::Roster{1, {}, 1, 2}));
  EXPECT_EQ(notes(3), (Notes{"joined 0", "joined 1", "received 1"}));
  running_.call([&] { return server_->send(1, wire::Cancel{7}), server_->send(5, wire::Quit{}), 0; });
  EXPECT_EQ(agent1.line() + "\n", wire::encode(wire::Cancel{7}));
  agent0.close();
  EXPECT_EQ(notes(5), (Notes{"joined 0", "joined 1", "received 1", "left 0", "gone 0"}));
}

TEST_F(AgentServerTest, AfterItsFarewellTheConnectionLastsAsLongAsTheRanks) {
  Socket agent = connect(hello(0) + wire::encode(wire::Farewell{0}));
  EXPECT_EQ(notes(2), (Notes{"joined 0", "left 0"}));
  agent.close();
  EXPECT_EQ(notes(3).back(), "gone, clean 0");
}

TEST_F(AgentServerTest, WhoIsDismissedCanStillSayFarewell) {
  Socket agent = connect(hello(0));
  notes(1);
  running_.call([&] { return server_->send(0, wire::Survey{}), server_->dismiss(), 0; });
  EXPECT_EQ(agent.line() + "\n", wire::encode(wire::Survey{}));
  EXPECT_TRUE(agent.closed());
  EXPECT_EQ(notes(2).back(), "left 0");
  agent.send(wire::encode(wire::Roster{0, {}, 1, 2}) + wire::encode(wire::Farewell{0}));
  agent.close();
  EXPECT_EQ(notes(3), (Notes{"joined 0", "left 0", "gone, clean 0"}));
}

TEST_F(AgentServerTest, OneThatIsDroppedLeavesTheOthersAlone) {
  Socket agent0 = connect(hello(0));
  notes(1);
  Socket agent1 = connect(hello(1));
  notes(2);
  running_.call(
      [&] { return server_->drop(0), server_->send(0, wire::Survey{}), server_->send(1, wire::Survey{}), 0; });
  EXPECT_TRUE(agent0.closed());
  EXPECT_EQ(agent1.line() + "\n", wire::encode(wire::Survey{}));
  EXPECT_EQ(notes(3).back(), "left 0");
}

TEST_F(AgentServerTest, NobodyAnswersForAnother) {
  for (const wire::Message& message :
       {wire::Message(wire::Abandoned{1, 1}), wire::Message(wire::MpiFailed{1, 1, "MPI_Test"}),
        wire::Message(wire::Late{1, 1, "rank 1"})}) {
    Socket agent = connect(hello(0) + wire::encode(message));
    EXPECT_TRUE(agent.closed());
    serve();
  }
}

TEST_F(AgentServerTest, AStrangerIsClosedUnanswered) {
  for (const std::string& words :
       {std::string("GET / HTTP/1.1\r\n\r\n"), hello(0, agent_key("0123456789abcdee", 0)), hello(0, key), hello(0, ""),
        hello(0, agent_key(key, 1)), hello(2, agent_key(key, 2), 3), hello(0, agent_key(key, 0), 2, 0),
        wire::encode(wire::Quit{}), wire::encode(wire::Roster{0, {}, 1, 1}), std::string("\n")}) {
    EXPECT_TRUE(connect(words).closed()) << words;
  }
  EXPECT_EQ(notes(), Notes{});
}

TEST_F(AgentServerTest, AStrangerThatTalksWithoutEndIsClosed) {
  Socket stranger = Socket::connect_tcp(port_);
  stranger.send(std::string(100'000, 'x'));
  EXPECT_TRUE(stranger.closed());
}

TEST_F(AgentServerTest, IdleClientsDoNotBlockAgents) {
  std::vector<Socket> silent;
  for (int i = 0; i < 200; ++i) silent.push_back(Socket::connect_tcp(port_));
  const Socket agent = connect(hello(0));
  EXPECT_EQ(notes(1), (Notes{"joined 0"}));
  EXPECT_TRUE(silent.front().closed());
}

TEST_F(AgentServerTest, AnAgentConnectsOnce) {
  Socket agent = connect(hello(0));
  notes(1);
  EXPECT_TRUE(connect(hello(0)).closed());
  EXPECT_EQ(notes(), (Notes{"joined 0"}));
  agent.close();
  notes(3);
  EXPECT_TRUE(connect(hello(0)).closed()) << "who has read its words on the network";
  EXPECT_EQ(notes(), (Notes{"joined 0", "left 0", "gone 0"}));
}

TEST_F(AgentServerTest, ASubstituteTakesTheConnectionOfItsAgent) {
  Socket agent = connect(hello(0));
  notes(1);
  Socket first = connect(substitute(0, 1));
  EXPECT_TRUE(agent.closed());
  EXPECT_EQ(notes(2).back(), "received " + std::to_string(wire::Message(wire::Substitute{}).index()));
  running_.call([&] { return server_->send(0, wire::Cancel{7}), 0; });
  EXPECT_EQ(first.line() + "\n", wire::encode(wire::Cancel{7}));
  first.close();
  EXPECT_EQ(notes(4)[2], "left 0");
  const Socket second = connect(substitute(0, 2));
  EXPECT_EQ(notes(5).size(), 5U);
}

TEST_F(AgentServerTest, ASubstituteShowsAKeyOfItsOwnOnce) {
  EXPECT_TRUE(connect(substitute(0, 1)).closed()) << "its agent has not been there";
  Socket agent = connect(hello(0));
  notes(1);
  EXPECT_TRUE(connect(wire::encode(wire::Substitute{agent_key(key, 0), 0, 1})).closed());
  EXPECT_TRUE(connect(wire::encode(wire::Substitute{substitute_key(key, 1, 1), 0, 1})).closed());
  const Socket first = connect(substitute(0, 1));
  notes(2);
  EXPECT_TRUE(connect(substitute(0, 1)).closed()) << "who has read its words on the network";
  EXPECT_EQ(notes().size(), 2U);
}

TEST_F(AgentServerTest, AnAgentThatSaysNonsenseIsGone) {
  for (const std::string& nonsense : {std::string("{\"type\":\"outcome\"}\n"), wire::encode(wire::Roster{1, {}, 1, 1}),
                                      wire::encode(wire::Farewell{1}), wire::encode(wire::Quit{}), hello(0)}) {
    serve();
    Socket agent = connect(hello(0) + nonsense);
    EXPECT_TRUE(agent.closed());
    EXPECT_EQ(notes(3), (Notes{"joined 0", "left 0", "gone 0"}));
  }
}

}  // namespace
}  // namespace cppc::run
