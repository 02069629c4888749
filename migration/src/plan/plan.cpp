#include "cppc/plan.hpp"

#include <algorithm>
#include <set>

namespace cppc::plan {
namespace {

using std::to_string;
template <class T>
using Result = tl::expected<T, std::string>;

tl::unexpected<std::string> refuse(std::string reason) { return tl::unexpected(std::move(reason)); }

std::string megabytes(std::uint64_t bytes) { return to_string((bytes + 999'999) / 1'000'000) + " MB"; }

std::string node_names(const Snapshot& job) {
  std::string names;
  for (const Node& node : job.nodes) names += (names.empty() ? "" : ", ") + node.name;
  return names;
}

std::string not_up(const Node& node) {
  switch (node.state) {
    case NodeState::leave_only:
      return node.name + " has lost its agent: ranks can leave, but none can come";
    case NodeState::down:
      return node.name + " is down";
    default:
      return node.name + " has been evacuated and is no longer part of the job";
  }
}

bool can_be_left(const Node& node) { return node.state == NodeState::up || node.state == NodeState::leave_only; }

Result<int> find_node(const Snapshot& job, const std::string& name) {
  const auto found =
      std::find_if(job.nodes.begin(), job.nodes.end(), [&](const Node& node) { return node.name == name; });
  if (found == job.nodes.end()) return refuse("there is no node " + name + ": the job has " + node_names(job));
  return static_cast<int>(found - job.nodes.begin());
}

Result<std::vector<int>> find_targets(const Snapshot& job, const Request& request) {
  std::vector<int> targets;
  std::vector<bool> named(job.nodes.size());
  for (const std::string& name : request.to) {
    const auto node = find_node(job, name);
    if (!node) return refuse(node.error() + "; migrate --add " + name + " gives it that one");
    if (job.nodes[*node].state != NodeState::up)
      return refuse(not_up(job.nodes[*node]) + "; migrate --add " + name + " brings it back");
    if (named[*node]) return refuse("node " + name + " is named twice as a target");
    named[*node] = true;
    targets.push_back(*node);
  }
  return targets;
}

Result<std::vector<int>> all_other_nodes(const Snapshot& job, int node) {
  std::vector<int> others;
  for (int i = 0; i < static_cast<int>(job.nodes.size()); ++i) {
    if (i != node && job.nodes[i].state == NodeState::up) others.push_back(i);
  }
  if (others.empty()) return refuse(job.nodes[node].name + " is the last node of the job: there is nowhere to go");
  return others;
}

Result<void> check_ranks(const Snapshot& job, const Request& request) {
  std::vector<bool> named(job.ranks.size());
  for (const int rank : request.ranks) {
    if (rank < 0 || rank >= static_cast<int>(job.ranks.size())) {
      return refuse("there is no rank " + to_string(rank) + ": the job has ranks 0 to " +
                    to_string(static_cast<int>(job.ranks.size()) - 1));
    }
    if (named[rank]) return refuse("rank " + to_string(rank) + " is named twice");
    named[rank] = true;
    const Node& node = job.nodes[job.ranks[rank].node];
    if (!can_be_left(node)) return refuse("rank " + to_string(rank) + " cannot be moved: " + not_up(node));
  }
  return {};
}

// Every rank has to reach the migration point, so one that has left its computation stops all migrations.
Result<void> check_not_finishing(const Snapshot& job) {
  for (int rank = 0; rank < static_cast<int>(job.ranks.size()); ++rank) {
    if (job.ranks[rank].finished)
      return refuse("the job is finishing: rank " + to_string(rank) + " is in MPI_Finalize, or has ended");
  }
  return {};
}

// Ranks that move together.
struct Group {
  std::vector<int> ranks;  // by number
  int node = 0;
  std::uint64_t bytes = 0;  // of all
};

// Those that share memory with `rank`, and with each other, on its node.
Group group_of(const Snapshot& job, int rank) {
  Group group{.ranks = {rank}, .node = job.ranks[rank].node};
  std::set<int> known{rank};
  for (std::size_t i = 0; i < group.ranks.size(); ++i) {
    for (const int other : job.ranks[group.ranks[i]].sharers) {
      const bool there =
          other >= 0 && other < static_cast<int>(job.ranks.size()) && job.ranks[other].node == group.node;
      if (there && known.insert(other).second) group.ranks.push_back(other);
    }
  }
  std::sort(group.ranks.begin(), group.ranks.end());
  for (const int one : group.ranks) group.bytes += job.ranks[one].bytes;
  return group;
}

std::string names_of(const std::vector<int>& ranks) {
  std::string names = ranks.size() == 1 ? "rank " : "ranks ";
  for (const int rank : ranks) names += (rank == ranks.front() ? "" : ", ") + to_string(rank);
  return names;
}

// Each once, in the order of their first ranks.
Result<std::vector<Group>> groups_of(const Snapshot& job, const std::vector<int>& ranks) {
  const std::set<int> asked(ranks.begin(), ranks.end());
  std::set<int> left = asked;
  std::vector<Group> groups;
  while (!left.empty()) {
    groups.push_back(group_of(job, *left.begin()));
    for (const int rank : groups.back().ranks) {
      if (!asked.contains(rank))
        return refuse(names_of(groups.back().ranks) +
                      " share memory (MPI_Win_allocate_shared()): they can only be moved together");
      left.erase(rank);
    }
  }
  return groups;
}

// The nodes that ranks may go to, in the order of what their load relative to their slots would be with one rank more.
// Of equal ones, the first in the request.
class Targets {
 public:
  Targets(const Snapshot& job, const std::vector<int>& nodes) : position_(job.nodes.size(), -1) {
    std::vector<std::int64_t> ranks(job.nodes.size());
    for (const Rank& rank : job.ranks) ++ranks[rank.node];
    for (const int node : nodes) {
      position_[node] = static_cast<int>(by_position_.size());
      by_position_.push_back({ranks[node] + 1, job.nodes[node].slots, position_[node], node});
      by_load_.insert(by_position_.back());
    }
  }

  std::optional<int> least_loaded(const Snapshot& job, const Group& group) const {
    for (const Target& target : by_load_)
      if (target.node != group.node && job.nodes[target.node].memory_free >= group.bytes) return target.node;
    return std::nullopt;
  }

  void moved(int from, int to) {
    change(from, -1);
    change(to, +1);
  }

 private:
  struct Target {
    std::int64_t load = 1;
    std::int64_t slots = 1;
    int position = 0;
    int node = 0;
    friend bool operator<(const Target& a, const Target& b) {
      const std::int64_t left = a.load * b.slots, right = b.load * a.slots;
      return left != right ? left < right : a.position < b.position;
    }
  };

  void change(int node, int ranks) {
    if (position_[node] < 0) return;
    Target& target = by_position_[position_[node]];
    by_load_.erase(target);
    target.load += ranks;
    by_load_.insert(target);
  }

  std::vector<int> position_;  // by node; -1: no target
  std::vector<Target> by_position_;
  std::set<Target> by_load_;
};

void carry_out(Snapshot& job, const Move& move) {
  Rank& rank = job.ranks[move.rank];
  job.nodes[move.to].memory_free -= std::min(rank.bytes, job.nodes[move.to].memory_free);
  job.nodes[move.from].memory_free += rank.bytes;
  rank.node = move.to;
}

std::string nowhere(const Snapshot& job, const Group& group, const std::vector<int>& targets) {
  const bool one = group.ranks.size() == 1;
  const Node& from = job.nodes[group.node];
  if (targets.size() == 1 && targets.front() == group.node)
    return names_of(group.ranks) + (one ? " is on " : " are on ") + from.name + " already";
  std::string reason =
      names_of(group.ranks) + (one ? " needs " : " need ") + megabytes(group.bytes) + " of memory; free:";
  for (const int node : targets) {
    if (node == group.node) continue;
    reason += " " + job.nodes[node].name + " " + megabytes(job.nodes[node].memory_free);
  }
  return reason;
}

// Largest first, so that small ones do not take the only place where a large one fits.
Result<std::vector<Move>> place(Snapshot job, const std::vector<int>& ranks, const std::vector<int>& targets) {
  auto groups = groups_of(job, ranks);
  if (!groups) return refuse(std::move(groups).error());
  std::stable_sort(groups->begin(), groups->end(), [](const Group& a, const Group& b) { return a.bytes > b.bytes; });
  std::vector<Move> moves;
  Targets free(job, targets);
  for (const Group& group : *groups) {
    const auto node = free.least_loaded(job, group);
    if (!node) return refuse(nowhere(job, group, targets));
    for (const int rank : group.ranks) {
      moves.push_back({rank, group.node, *node});
      free.moved(group.node, *node);
      carry_out(job, moves.back());
    }
  }
  std::sort(moves.begin(), moves.end(), [](const Move& a, const Move& b) { return a.rank < b.rank; });
  return moves;
}

std::vector<int> without_avoided(const Snapshot& job, std::vector<int> nodes, const std::vector<std::string>& avoid) {
  std::erase_if(nodes, [&](int node) { return std::count(avoid.begin(), avoid.end(), job.nodes[node].name) > 0; });
  return nodes;
}

Result<Plan> plan_evacuation(const Snapshot& job, const Request& request) {
  const auto node = find_node(job, request.evacuate);
  if (!node) return refuse(node.error());
  if (!can_be_left(job.nodes[*node])) return refuse(not_up(job.nodes[*node]));
  const auto others = all_other_nodes(job, *node);
  if (!others) return refuse(others.error());
  const auto targets = request.to.empty() ? without_avoided(job, *others, request.avoid) : find_targets(job, request);
  if (!targets) return refuse(targets.error());
  if (std::count(targets->begin(), targets->end(), *node)) {
    return refuse(job.nodes[*node].name + " cannot be evacuated to itself");
  }
  std::vector<int> ranks;
  for (int rank = 0; rank < static_cast<int>(job.ranks.size()); ++rank) {
    if (job.ranks[rank].node == *node) ranks.push_back(rank);
  }
  if (targets->empty() && !ranks.empty())
    return refuse("all other nodes of the job are to be avoided: there is nowhere to go");
  auto moves = place(job, ranks, *targets);
  if (!moves) return refuse(std::move(moves).error());
  return Plan{*std::move(moves), *node};
}

Result<Plan> plan_ranks(const Snapshot& job, const Request& request) {
  if (const auto ranks = check_ranks(job, request); !ranks) return refuse(ranks.error());
  const auto targets = find_targets(job, request);
  if (!targets) return refuse(targets.error());
  auto moves = place(job, request.ranks, *targets);
  if (!moves) return refuse(std::move(moves).error());
  return Plan{*std::move(moves), std::nullopt};
}

}  // namespace

tl::expected<Plan, std::string> make_plan(const Snapshot& job, const Request& request) {
  if (const auto working = check_not_finishing(job); !working) return refuse(working.error());
  return request.evacuate.empty() ? plan_ranks(job, request) : plan_evacuation(job, request);
}

Snapshot after(Snapshot job, const Plan& plan) {
  for (const Move& move : plan.moves) carry_out(job, move);
  if (plan.retire) job.nodes[*plan.retire].state = NodeState::evacuated;
  return job;
}

std::string_view text(NodeState state) {
  switch (state) {
    case NodeState::up:
      return "up";
    case NodeState::leave_only:
      return "leave-only";
    case NodeState::evacuated:
      return "evacuated";
    case NodeState::down:
      return "down";
  }
  return "";
}

}  // namespace cppc::plan
