/// What the controller knows of the job's nodes and ranks. Not thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allocation.hpp"
#include "cppc/plan.hpp"
#include "cppc/wire.hpp"

namespace cppc::run {

struct RankView {
  std::string node;
  pid_t pid = 0;
  std::uint64_t bytes = 0;
  bool finished = false;
};

struct NodeView {
  std::string name;
  std::string host;  ///< what it calls itself; empty until its agent is there
  plan::NodeState state = plan::NodeState::up;
  std::vector<int> ranks;
  int cores = 0, slots = 0;
  std::uint64_t memory_free = 0;
};

class Picture {
 public:
  /// Agent i is on nodes[i].
  explicit Picture(const std::vector<AllocatedNode>& nodes);

  void joined(const wire::Hello& hello);
  void reported(const wire::Roster& roster);
  void left(int agent) { agents_[agent].connected = false; }
  void lost(int agent) { agents_[agent].state = plan::NodeState::down; }
  bool is_lost(int agent) const { return agents_[agent].state == plan::NodeState::down; }
  void without_mpi(int agent) { agents_[agent].state = plan::NodeState::leave_only; }
  void substituted(int agent) { agents_[agent].connected = true; }
  bool has_mpi(int agent) const { return agents_[agent].state != plan::NodeState::leave_only; }
  bool takes_part(int agent) const { return connected(agent) && !is_lost(agent); }
  void carried_out(const plan::Plan& plan);

  /// Rosters from before this moment do not count as fresh.
  void surveyed();
  bool fresh() const;  ///< those of all agents that are connected

  /// All agents have joined and every rank has been reported once. It stays true.
  bool complete() const { return !place_.empty(); }
  bool all_finished() const;  ///< every rank is in MPI_Finalize
  bool connected(int agent) const { return agents_[agent].connected; }
  bool anybody_connected() const;

  int agents() const { return static_cast<int>(agents_.size()); }
  const std::string& node_name(int agent) const { return agents_[agent].node.name; }
  std::vector<AllocatedNode> allocated() const;  ///< by agent
  plan::Snapshot snapshot() const;               ///< without ranks until complete
  std::vector<RankView> ranks() const;
  const std::vector<int>& places() const { return place_; }  ///< agent, by rank
  std::vector<NodeView> nodes() const;

 private:
  struct Agent {
    AllocatedNode node;
    std::string host;
    plan::NodeState state = plan::NodeState::up;
    bool connected = false;
    std::optional<wire::Roster> roster;
    bool fresh = false;
  };
  void learn_places();
  void learn(const wire::Rank& rank);
  wire::Rank told_of(int rank) const;
  static int slots(const Agent& agent);

  std::vector<Agent> agents_;
  int job_size_ = 0;
  std::vector<int> place_;  // rank -> agent; rosters fill it once, then only migrations change it
  std::vector<wire::Rank>
      ranks_;         // what the agent of its node has said of each last; nothing if it does not know it yet
  int finished_ = 0;  // of these
};

}  // namespace cppc::run
