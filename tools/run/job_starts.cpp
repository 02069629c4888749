// A job whose mpirun has ended: that was its end, or it is started again by another one, perhaps on other nodes.

#include <algorithm>
#include <utility>

#include "job.hpp"

namespace cppc::run {

void Job::ended(int status, bool on_request) {
  const std::lock_guard lock(mutex_);
  state_ = State::ended;
  const std::string how =
      (on_request ? "the job was told to end, and has ended with status " : "the job has ended with status ") +
      std::to_string(status);
  for (Migration& migration : migrations_) {
    if (migration.over()) continue;
    if (&migration != active()) {
      finish(migration, Migration::State::refused, CPPC_ERR_REFUSED, how);
    } else if (in(Execution::State::leaving)) {  // it may have been over before all agents have told that they are
                                                 // there
      finish(migration, status == 0 ? Migration::State::done : Migration::State::damaged,
             status == 0 ? CPPC_OK : CPPC_ERR_PEER, how);
    } else if (execution_->moved()) {
      if (requests_.release)
        migration.release = Release{Release::State::kept, "in the resource manager's job when " + how};
      finish(migration, Migration::State::done, CPPC_OK, "");
    } else if (on_request) {
      finish(migration, Migration::State::refused, CPPC_ERR_REFUSED, how);
    } else {
      finish(migration, status == 0 ? Migration::State::failed : Migration::State::damaged, CPPC_ERR_PEER, how);
    }
  }
  notify_changed();
}

void Job::interrupted(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  state_ = State::starting;
  for (Migration& migration : migrations_) {
    if (migration.over()) continue;
    if (&migration != active()) {
      if (migration.draft) finish(migration, Migration::State::failed, CPPC_ERR_PEER, reason);
    } else if (in(Execution::State::leaving)) {
      finish(migration, Migration::State::damaged, CPPC_ERR_PEER, reason);
    } else if (execution_->moved()) {
      finish(migration, Migration::State::done, CPPC_OK, "");
    } else {
      finish(migration, Migration::State::failed, CPPC_ERR_PEER, reason);
    }
  }
  notify_changed();
}

void Job::begin_again(std::vector<AllocatedNode> nodes) {
  const std::lock_guard lock(mutex_);
  state_ = State::starting;
  if (picture_.complete()) last_ = picture_.snapshot();
  picture_ = Picture(nodes);
  description_.nodes = std::move(nodes);
  missing_.clear();
  losses_.clear();
  disabled_.reset();
  releases_.clear();
  lost_.clear();
  ended_.clear();
  notify_changed();
}

void Job::starts_from(std::uint64_t set) {
  const std::lock_guard lock(mutex_);
  starts_from_ = set;
}

std::vector<std::string> Job::places_on(const std::vector<AllocatedNode>& nodes) const {
  const std::lock_guard lock(mutex_);
  plan::Snapshot snapshot = picture_.complete() ? picture_.snapshot() : last_;
  const auto is_there = [&](const plan::Node& node) {
    return std::ranges::find(nodes, node.name, &AllocatedNode::name) != nodes.end();
  };
  for (const AllocatedNode& node : nodes)
    if (std::ranges::find(snapshot.nodes, node.name, &plan::Node::name) == snapshot.nodes.end())
      snapshot.nodes.push_back({node.name, plan::NodeState::up, node.slots.value_or(1)});
  plan::Request homeless;
  for (plan::Node& node : snapshot.nodes) {
    node.state = is_there(node) ? plan::NodeState::up : plan::NodeState::leave_only;
    if (is_there(node)) homeless.to.push_back(node.name);
  }
  for (int rank = 0; rank < static_cast<int>(snapshot.ranks.size()); ++rank) {
    snapshot.ranks[rank].finished = false;
    if (!is_there(snapshot.nodes[snapshot.ranks[rank].node])) homeless.ranks.push_back(rank);
  }
  if (!homeless.ranks.empty()) {
    const auto plan = plan::make_plan(snapshot, homeless);
    if (!plan) return {};
    snapshot = plan::after(std::move(snapshot), *plan);
  }
  std::vector<std::string> places;
  for (const plan::Rank& rank : snapshot.ranks) places.push_back(snapshot.nodes[rank.node].name);
  return places;
}

}  // namespace cppc::run
