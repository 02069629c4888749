#include "picture.hpp"

#include <algorithm>

namespace cppc::run {

Picture::Picture(const std::vector<AllocatedNode>& nodes) {
  for (const AllocatedNode& node : nodes) agents_.emplace_back().node = node;
}

void Picture::joined(const wire::Hello& hello) {
  agents_[hello.agent].connected = true;
  agents_[hello.agent].host = hello.node;
  job_size_ = hello.job_size;
}

void Picture::reported(const wire::Roster& roster) {
  Agent& agent = agents_[roster.agent];
  const std::vector<wire::Rank> before = agent.roster ? std::move(agent.roster->ranks) : std::vector<wire::Rank>{};
  agent.roster = roster;
  agent.fresh = true;
  if (!complete()) return learn_places();
  const auto is_here = [&](const wire::Rank& one) {
    return one.rank < static_cast<int>(place_.size()) && place_[one.rank] == roster.agent;
  };
  for (const wire::Rank& one : before)
    if (is_here(one)) learn({.rank = one.rank});
  for (const wire::Rank& one : roster.ranks)
    if (is_here(one)) learn(one);
}

void Picture::carried_out(const plan::Plan& plan) {
  for (const plan::Move& move : plan.moves) {
    place_[move.rank] = move.to;
    learn(told_of(move.rank));
  }
  if (plan.retire) agents_[*plan.retire].state = plan::NodeState::evacuated;
}

void Picture::surveyed() {
  for (Agent& agent : agents_) agent.fresh = false;
}

bool Picture::fresh() const {
  return std::all_of(agents_.begin(), agents_.end(),
                     [](const Agent& agent) { return agent.fresh || !agent.connected; });
}

bool Picture::all_finished() const { return complete() && finished_ == static_cast<int>(ranks_.size()); }

bool Picture::anybody_connected() const {
  return std::any_of(agents_.begin(), agents_.end(), [](const Agent& agent) { return agent.connected; });
}

std::vector<AllocatedNode> Picture::allocated() const {
  std::vector<AllocatedNode> nodes;
  for (const Agent& agent : agents_) nodes.push_back(agent.node);
  return nodes;
}

plan::Snapshot Picture::snapshot() const {
  plan::Snapshot snapshot;
  for (const Agent& agent : agents_) {
    snapshot.nodes.push_back(
        {agent.node.name, agent.state, slots(agent), agent.roster ? agent.roster->memory_free : 0});
  }
  for (const wire::Rank& rank : ranks_)
    snapshot.ranks.push_back({place_[rank.rank], rank.bytes, rank.finished, rank.sharers});
  return snapshot;
}

std::vector<RankView> Picture::ranks() const {
  std::vector<RankView> ranks;
  for (const wire::Rank& rank : ranks_)
    ranks.push_back({agents_[place_[rank.rank]].node.name, rank.pid, rank.bytes, rank.finished});
  return ranks;
}

std::vector<NodeView> Picture::nodes() const {
  std::vector<NodeView> nodes;
  for (const Agent& agent : agents_) {
    NodeView& node = nodes.emplace_back(NodeView{agent.node.name, agent.host, agent.state, {}, 0, slots(agent), 0});
    if (agent.roster) node.cores = agent.roster->cores, node.memory_free = agent.roster->memory_free;
  }
  for (int rank = 0; rank < static_cast<int>(place_.size()); ++rank) nodes[place_[rank]].ranks.push_back(rank);
  return nodes;
}

void Picture::learn_places() {
  std::size_t reported = 0;
  for (const Agent& agent : agents_) {
    if (!agent.connected || !agent.roster) return;
    reported += agent.roster->ranks.size();
  }
  if (reported < static_cast<std::size_t>(job_size_)) return;
  std::vector<int> place(job_size_, -1);
  for (int i = 0; i < static_cast<int>(agents_.size()); ++i) {
    for (const wire::Rank& rank : agents_[i].roster->ranks) {
      if (rank.rank < job_size_) place[rank.rank] = i;
    }
  }
  if (std::count(place.begin(), place.end(), -1) != 0) return;
  place_ = std::move(place);
  ranks_.resize(place_.size());
  for (int rank = 0; rank < job_size_; ++rank) ranks_[rank].rank = rank;
  for (int i = 0; i < static_cast<int>(agents_.size()); ++i)
    for (const wire::Rank& rank : agents_[i].roster->ranks)
      if (rank.rank < job_size_ && place_[rank.rank] == i) learn(rank);
}

void Picture::learn(const wire::Rank& rank) {
  finished_ += static_cast<int>(rank.finished) - static_cast<int>(ranks_[rank.rank].finished);
  ranks_[rank.rank] = rank;
}

// By the agent of the node that it is on.
wire::Rank Picture::told_of(int rank) const {
  for (const wire::Rank& known : agents_[place_[rank]].roster->ranks)
    if (known.rank == rank) return known;
  return {.rank = rank};
}

int Picture::slots(const Agent& agent) {
  if (agent.node.slots) return *agent.node.slots;
  return agent.roster ? std::max(agent.roster->cores, 1) : 1;
}

}  // namespace cppc::run
