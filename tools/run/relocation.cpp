#include "relocation.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace cppc::run {
namespace {

using plan::NodeState;

Layout present_layout(const plan::Snapshot& job, std::span<const AllocatedNode> allocated) {
  Layout layout;
  for (std::size_t i = 0; i < allocated.size(); ++i)
    if (job.nodes[i].state == NodeState::up || job.nodes[i].state == NodeState::leave_only)
      layout.nodes.push_back(allocated[i]);
  for (const plan::Rank& rank : job.ranks) layout.places.push_back(job.nodes[rank.node].name);
  return layout;
}

// The job with its nodes to be: all of them get new agents.
plan::Snapshot with_nodes(const plan::Snapshot& job, const std::vector<AllocatedNode>& nodes) {
  plan::Snapshot with;
  std::map<std::string, int> index;
  for (const AllocatedNode& node : nodes) {
    const auto known = std::ranges::find(job.nodes, node.name, &plan::Node::name);
    const bool here = known != job.nodes.end() && known->state != NodeState::evacuated;
    index[node.name] = static_cast<int>(with.nodes.size());
    with.nodes.push_back({node.name, NodeState::up, here ? known->slots : node.slots.value_or(1),
                          here ? known->memory_free : std::numeric_limits<std::uint64_t>::max()});
  }
  for (const plan::Rank& rank : job.ranks)
    with.ranks.push_back({index.at(job.nodes[rank.node].name), rank.bytes, rank.finished, rank.sharers});
  return with;
}

}  // namespace

tl::expected<RelocationPlan, std::string> plan_relocation(const plan::Snapshot& job,
                                                          std::span<const AllocatedNode> allocated,
                                                          const RelocationRequest& request) {
  if (const auto finished = std::ranges::find(job.ranks, true, &plan::Rank::finished); finished != job.ranks.end())
    return tl::unexpected("the job is finishing: rank " + std::to_string(finished - job.ranks.begin()) +
                          " is in MPI_Finalize, or has ended");
  RelocationPlan relocation{.before = present_layout(job, allocated), .after = {}, .moves = {}};
  relocation.after.nodes = relocation.before.nodes;
  for (const AllocatedNode& node : request.add) {
    const auto known = std::ranges::find(relocation.after.nodes, node.name, &AllocatedNode::name);
    const auto state = std::ranges::find(job.nodes, node.name, &plan::Node::name);
    const bool agent_lost = state != job.nodes.end() && state->state == NodeState::leave_only;
    if (known == relocation.after.nodes.end()) {
      relocation.after.nodes.push_back(node);
    } else if (!agent_lost) {
      return tl::unexpected("the job has " + node.name + " already");
    }
  }
  plan::Snapshot snapshot = with_nodes(job, relocation.after.nodes);
  if (!request.moves.ranks.empty()) {
    const auto plan = plan::make_plan(snapshot, request.moves);
    if (!plan) return tl::unexpected(plan.error());
    for (const plan::Move& move : plan->moves)
      relocation.moves.push_back({move.rank, snapshot.nodes[move.from].name, snapshot.nodes[move.to].name});
    snapshot = plan::after(std::move(snapshot), *plan);
  }
  for (const plan::Rank& rank : snapshot.ranks) relocation.after.places.push_back(snapshot.nodes[rank.node].name);
  return relocation;
}

std::vector<int> departed_from(const std::string& node, std::span<const Migration> migrations) {
  std::map<int, std::vector<std::string>> trails;  // of each rank: the nodes between which it has not come back
  for (const Migration& migration : migrations) {
    if (migration.state != Migration::State::done) continue;
    for (const NamedMove& move : migration.moves) {
      std::vector<std::string>& trail = trails[move.rank];
      if (trail.empty()) trail.push_back(move.from);
      const auto before = std::ranges::find(trail, move.to);
      trail.erase(before, trail.end());
      trail.push_back(move.to);
    }
  }
  std::vector<int> departed;
  for (const auto& [rank, trail] : trails)
    if (trail.back() != node && std::ranges::find(trail, node) != trail.end()) departed.push_back(rank);
  return departed;
}

}  // namespace cppc::run
