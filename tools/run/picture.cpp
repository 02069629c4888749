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
  agents_[roster.agent].roster = roster;
  agents_[roster.agent].fresh = true;
  if (!complete()) learn_places();
}

void Picture::carried_out(const plan::Plan& plan) {
  for (const plan::Move& move : plan.moves) place_[move.rank] = move.to;
  if (plan.retire) agents_[*plan.retire].state = plan::NodeState::evacuated;
}

void Picture::surveyed() {
  for (Agent& agent : agents_) agent.fresh = false;
}

bool Picture::fresh() const {
  return std::all_of(agents_.begin(), agents_.end(),
                     [](const Agent& agent) { return agent.fresh || !agent.connected; });
}

bool Picture::all_finished() const {
  for (int rank = 0; rank < static_cast<int>(place_.size()); ++rank) {
    if (!details(rank).finished) return false;
  }
  return complete();
}

bool Picture::anybody_connected() const {
  return std::any_of(agents_.begin(), agents_.end(), [](const Agent& agent) { return agent.connected; });
}

plan::Snapshot Picture::snapshot() const {
  plan::Snapshot snapshot;
  for (const Agent& agent : agents_) {
    snapshot.nodes.push_back(
        {agent.node.name, agent.state, slots(agent), agent.roster ? agent.roster->memory_free : 0});
  }
  for (int rank = 0; rank < static_cast<int>(place_.size()); ++rank) {
    const wire::Rank known = details(rank);
    snapshot.ranks.push_back({place_[rank], known.bytes, known.finished});
  }
  return snapshot;
}

std::vector<RankView> Picture::ranks() const {
  std::vector<RankView> ranks;
  for (int rank = 0; rank < static_cast<int>(place_.size()); ++rank) {
    const wire::Rank known = details(rank);
    ranks.push_back({agents_[place_[rank]].node.name, known.pid, known.bytes, known.finished});
  }
  return ranks;
}

std::vector<NodeView> Picture::nodes() const {
  std::vector<NodeView> nodes;
  for (int i = 0; i < static_cast<int>(agents_.size()); ++i) {
    const Agent& agent = agents_[i];
    NodeView node{agent.node.name, agent.host, agent.state, {}, 0, slots(agent), 0};
    if (agent.roster) node.cores = agent.roster->cores, node.memory_free = agent.roster->memory_free;
    for (int rank = 0; rank < static_cast<int>(place_.size()); ++rank) {
      if (place_[rank] == i) node.ranks.push_back(rank);
    }
    nodes.push_back(std::move(node));
  }
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
  if (std::count(place.begin(), place.end(), -1) == 0) place_ = std::move(place);
}

// What the agent of its node has said of it last; nothing when that agent does not know it yet.
wire::Rank Picture::details(int rank) const {
  const Agent& agent = agents_[place_[rank]];
  for (const wire::Rank& known : agent.roster->ranks) {
    if (known.rank == rank) return known;
  }
  return {.rank = rank};
}

int Picture::slots(const Agent& agent) {
  if (agent.node.slots) return *agent.node.slots;
  return agent.roster ? std::max(agent.roster->cores, 1) : 1;
}

}  // namespace cppc::run
