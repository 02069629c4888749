/// Agents without a job behind them: they speak to a controller as real ones do, and do as the test says.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cppc/wire.hpp"
#include "socket.hpp"

namespace cppc::test {

class FakeAgent {
 public:
  /// Connects and says Hello; answers each Survey with the roster it has sent last.
  FakeAgent(const std::string& addresses, const std::string& key, int agent, int agents, int job_size);
  ~FakeAgent();
  FakeAgent(const FakeAgent&) = delete;
  FakeAgent& operator=(const FakeAgent&) = delete;

  void send(const wire::Message& message);
  void send_raw(const std::string& text);
  /// The next message from the controller, surveys excepted; none when it has closed the connection.
  std::optional<wire::Message> next();
  template <class T>
  T expect() {
    return std::get<T>(next().value());
  }
  void leave();

 private:
  void listen();

  int agent_;
  int fd_;
  std::mutex mutex_;
  std::condition_variable changed_;
  wire::Roster roster_;
  std::deque<wire::Message> inbox_;
  bool closed_ = false;
  std::thread thread_;
};

/// An agent on each of several nodes, with these ranks.
class FakeAgents {
 public:
  FakeAgents(const std::string& addresses, const std::string& key, std::vector<std::vector<int>> ranks_by_agent);

  FakeAgent& operator[](int agent) { return *agents_[agent]; }
  wire::Roster roster(int agent, bool finished = false) const;

  /// Waits for the order to reach all agents.
  wire::Order order();
  /// Carries it out as far as the controller can see.
  void obey(const wire::Order& order);
  /// Every rank has entered MPI_Finalize; waits for the agents to be told to quit, and lets them.
  void finish();

 private:
  std::vector<std::vector<int>> ranks_;
  std::vector<std::unique_ptr<FakeAgent>> agents_;
};

}  // namespace cppc::test
