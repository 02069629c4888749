#include "cppc/plan.hpp"

#include <algorithm>
#include <numeric>

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
  return node.name +
         (node.state == NodeState::down ? " is down" : " has been evacuated and is no longer part of the job");
}

Result<int> find_up(const Snapshot& job, const std::string& name) {
  const auto found =
      std::find_if(job.nodes.begin(), job.nodes.end(), [&](const Node& node) { return node.name == name; });
  if (found == job.nodes.end()) return refuse("there is no node " + name + ": the job has " + node_names(job));
  if (found->state != NodeState::up) return refuse(not_up(*found));
  return static_cast<int>(found - job.nodes.begin());
}

Result<std::vector<int>> find_targets(const Snapshot& job, const Request& request) {
  std::vector<int> targets;
  for (const std::string& name : request.to) {
    const auto node = find_up(job, name);
    if (!node) return refuse(node.error());
    if (std::count(targets.begin(), targets.end(), *node))
      return refuse("node " + name + " is named twice as a target");
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
  for (auto rank = request.ranks.begin(); rank != request.ranks.end(); ++rank) {
    if (*rank < 0 || *rank >= static_cast<int>(job.ranks.size())) {
      return refuse("there is no rank " + to_string(*rank) + ": the job has ranks 0 to " +
                    to_string(static_cast<int>(job.ranks.size()) - 1));
    }
    if (std::find(request.ranks.begin(), rank, *rank) != rank) {
      return refuse("rank " + to_string(*rank) + " is named twice");
    }
    const Node& node = job.nodes[job.ranks[*rank].node];
    if (node.state != NodeState::up) return refuse("rank " + to_string(*rank) + " cannot be moved: " + not_up(node));
  }
  return {};
}

// Every rank has to reach the migration point, so one that has left its computation stops all migrations.
Result<void> check_not_finishing(const Snapshot& job) {
  for (int rank = 0; rank < static_cast<int>(job.ranks.size()); ++rank) {
    if (job.ranks[rank].finished)
      return refuse("the job is finishing: rank " + to_string(rank) + " is in MPI_Finalize");
  }
  return {};
}

int ranks_on(const Snapshot& job, int node) {
  return static_cast<int>(
      std::count_if(job.ranks.begin(), job.ranks.end(), [&](const Rank& rank) { return rank.node == node; }));
}

// The node whose load relative to its slots is the lowest with one rank more.
std::optional<int> least_loaded(const Snapshot& job, int rank, const std::vector<int>& candidates) {
  std::optional<int> best;
  std::int64_t best_load = 0;
  for (const int node : candidates) {
    if (node == job.ranks[rank].node || job.nodes[node].memory_free < job.ranks[rank].bytes) continue;
    const std::int64_t load = ranks_on(job, node) + 1;
    if (!best || load * job.nodes[*best].slots < best_load * job.nodes[node].slots) best = node, best_load = load;
  }
  return best;
}

void carry_out(Snapshot& job, const Move& move) {
  Rank& rank = job.ranks[move.rank];
  job.nodes[move.to].memory_free -= std::min(rank.bytes, job.nodes[move.to].memory_free);
  job.nodes[move.from].memory_free += rank.bytes;
  rank.node = move.to;
}

std::string nowhere(const Snapshot& job, int rank, const std::vector<int>& targets) {
  const Node& from = job.nodes[job.ranks[rank].node];
  if (targets.size() == 1 && targets.front() == job.ranks[rank].node) {
    return "rank " + to_string(rank) + " is on " + from.name + " already";
  }
  std::string reason = "rank " + to_string(rank) + " needs " + megabytes(job.ranks[rank].bytes) + " of memory; free:";
  for (const int node : targets) {
    if (node == job.ranks[rank].node) continue;
    reason += " " + job.nodes[node].name + " " + megabytes(job.nodes[node].memory_free);
  }
  return reason;
}

// Largest first, so that small ones do not take the only place where a large one fits.
Result<std::vector<Move>> place(Snapshot job, std::vector<int> ranks, const std::vector<int>& targets) {
  std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) { return job.ranks[a].bytes > job.ranks[b].bytes; });
  std::vector<Move> moves;
  for (const int rank : ranks) {
    const auto node = least_loaded(job, rank, targets);
    if (!node) return refuse(nowhere(job, rank, targets));
    moves.push_back({rank, job.ranks[rank].node, *node});
    carry_out(job, moves.back());
  }
  std::sort(moves.begin(), moves.end(), [](const Move& a, const Move& b) { return a.rank < b.rank; });
  return moves;
}

Result<Plan> plan_evacuation(const Snapshot& job, const Request& request) {
  const auto node = find_up(job, request.evacuate);
  if (!node) return refuse(node.error());
  const auto others = all_other_nodes(job, *node);
  if (!others) return refuse(others.error());
  const auto targets = request.to.empty() ? others : find_targets(job, request);
  if (!targets) return refuse(targets.error());
  if (std::count(targets->begin(), targets->end(), *node)) {
    return refuse(job.nodes[*node].name + " cannot be evacuated to itself");
  }
  std::vector<int> ranks;
  for (int rank = 0; rank < static_cast<int>(job.ranks.size()); ++rank) {
    if (job.ranks[rank].node == *node) ranks.push_back(rank);
  }
  auto moves = place(job, std::move(ranks), *targets);
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
    case NodeState::evacuated:
      return "evacuated";
    case NodeState::down:
      return "down";
  }
  return "";
}

}  // namespace cppc::plan
