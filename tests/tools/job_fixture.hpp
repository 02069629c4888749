/// A job without processes: what it asks its agents, and mpirun, to do is written down.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "job.hpp"

namespace cppc::run {

/// Four ranks on three nodes, the last of which is spare.
class JobTest : public testing::Test {
 protected:
  using State = Migration::State;

  explicit JobTest(bool managed = false)
      : job_({"app-1", "./app", {{"node0", 2}, {"node1", 2}, {"node2", 2}}, "node0"},
             {.send =
                  [this](int agent, const wire::Message& message) {
                    sent_.push_back({agent, message});
                    if (std::holds_alternative<wire::Survey>(message)) ++surveys_;
                  },
              .give_up = [this](int agent) { note("give up " + std::to_string(agent)); },
              .await_exit = [this](int agent) { note("await exit " + std::to_string(agent)); },
              .dismiss = [this] { note("dismiss"); },
              .drop = [this](int agent) { note("drop " + std::to_string(agent)); },
              .end = [this] { note("end"); },
              .over = [this](bool orderly) { note(orderly ? "over, orderly" : "over"); },
              .complete = [this] { note("complete"); },
              .release = managed ? [this](int agent,
                                          bool keep) { note((keep ? "keep " : "release ") + std::to_string(agent)); }
                                 : std::function<void(int, bool)>(),
              .store = [this](const Migration& one) { note("store " + std::to_string(one.saved.size())); },
              .discard = [this](const checkpoint::Draft&) { note("discard"); }}) {}

  void note(const std::string& what) { notes_ += "[" + what + "]"; }

  static wire::Roster roster(int agent, std::vector<int> ranks, bool finished = false) {
    wire::Roster roster{agent, {}, 2, 1000};
    for (const int rank : ranks) roster.ranks.push_back({rank, 100 + rank, 10, finished});
    return roster;
  }
  void join_all() {
    for (const int agent : {0, 1, 2}) job_.joined({"key", agent, 3, "node", 1, 4});
  }
  void start() {
    join_all();
    job_.received(roster(0, {0, 1}));
    job_.received(roster(1, {2, 3}));
    job_.received(roster(2, {}));
  }
  static wire::Message substitute(int agent) { return wire::Substitute{.key = "key", .agent = agent}; }
  std::uint64_t move(int rank, const std::string& to) { return job_.submit({{rank}, "", {to}}, 60).value().id; }
  std::uint64_t evacuate(const std::string& node) { return job_.submit({{}, node, {}}, 60).value().id; }
  State state(std::uint64_t id) { return job_.migration(id).value().state; }
  void outcome(std::uint64_t id, cppc_status status = CPPC_OK, const std::string& reason = "") {
    job_.received(wire::Outcome{id, status, reason, 1, 2, 3, 4, 5});
  }
  void all_ready(std::uint64_t id) {
    for (const int agent : {0, 1, 2}) job_.received(wire::Ready{id, agent});
  }
  void abandoned(std::uint64_t id, int agent) { job_.received(wire::Abandoned{id, agent}); }
  int abandons(std::uint64_t id) const {
    return static_cast<int>(std::count_if(sent_.begin(), sent_.end(), [id](const auto& one) {
      const auto* abandon = std::get_if<wire::Abandon>(&one.second);
      return abandon != nullptr && abandon->id == id;
    }));
  }
  // Every rank that is on a node, and so every agent.
  void finish() {
    job_.received(roster(0, {0, 1, 3}, true));
    job_.received(roster(1, {2}, true));
    for (const int agent : {0, 1}) job_.left(agent);
  }
  int commits() const {
    return static_cast<int>(std::count_if(
        sent_.begin(), sent_.end(), [](const auto& one) { return std::holds_alternative<wire::Commit>(one.second); }));
  }
  std::string refusal(const plan::Request& request) {
    const auto migration = job_.submit(request, 60);
    return migration ? "" : migration.error().reason;
  }
  // The last order sent, and to how many agents.
  std::pair<wire::Order, int> last_order() {
    wire::Order order;
    int agents = 0;
    for (const auto& [agent, message] : sent_) {
      if (const auto* one = std::get_if<wire::Order>(&message))
        agents = one->id == order.id ? agents + 1 : 1, order = *one;
    }
    return {order, agents};
  }
  int orders() const {
    return static_cast<int>(std::count_if(
        sent_.begin(), sent_.end(), [](const auto& one) { return std::holds_alternative<wire::Order>(one.second); }));
  }

  std::vector<std::pair<int, wire::Message>> sent_;
  std::string notes_;
  std::atomic<int> surveys_ = 0;
  Job job_;
};

}  // namespace cppc::run
