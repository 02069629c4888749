// Agents that are lost, and what becomes of the job and of a migration without them.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "cppc/deadlines.hpp"
#include "job.hpp"

namespace cppc::run {
namespace {

constexpr int patience_with_mpirun = 3;  // ticks

}  // namespace

void Job::left(int agent) {
  const std::lock_guard lock(mutex_);
  picture_.left(agent);
  const bool retires = plan_ && plan_->retire == agent && (committing_ || settling_);
  if (settling_ && retires) requests_.await_exit(agent);
  if (!retires && !quitting_ && state_ != State::ended) {
    spdlog::info("{}: its agent is gone", picture_.node_name(agent));
    lose(agent, "the agent of " + picture_.node_name(agent) + " has died");
  }
  if (!picture_.anybody_connected()) requests_.over(/*orderly=*/quitting_ || !stood_down_.empty() || !missing_.empty());
  changed_.notify_all();
}

void Job::gone(int agent, bool clean) {
  const std::lock_guard lock(mutex_);
  if (clean) ended_.insert(agent);
  check_completion();
}

bool Job::spare(int agent) {
  const std::lock_guard lock(mutex_);
  if (state_ != State::running || committing_ || has_ranks(agent)) return false;
  lost_.insert(agent);
  lose(agent, picture_.node_name(agent) + " does not answer any more");
  requests_.drop(agent);
  check_completion();
  return true;
}

// mpirun goes on waiting for the agent of a node that has vanished.
void Job::check_completion() {
  if (lost_.empty() || state_ == State::ended) return;
  for (int agent = 0; agent < static_cast<int>(description_.nodes.size()); ++agent)
    if (!lost_.contains(agent) && !ended_.contains(agent)) return;
  requests_.complete();
}

bool Job::has_ranks(int agent) const {
  if (!picture_.complete()) return true;  // nobody knows yet
  const std::vector<RankView> ranks = picture_.ranks();
  return std::ranges::any_of(ranks, [&](const RankView& one) { return one.node == picture_.node_name(agent); });
}

// Its guardian offers another process. The agent's end may not have been seen yet.
void Job::substituted(const wire::Substitute& substitute) {
  const int agent = substitute.agent;
  if (!stood_down_.empty() || !picture_.complete()) return requests_.drop(agent);
  lose(agent, "the agent of " + picture_.node_name(agent) + " has died");
  const auto missing = missing_.find(agent);
  if (missing == missing_.end()) return requests_.drop(agent);
  missing->second.substituted = true;
  if (committing_ && agent == leader_ && substitute.confirmed == active()->id) conclude_without_leader();
  admit_substitutes();
}

// It would have reported the end.
void Job::conclude_without_leader() {
  Migration& migration = *active();
  migration.messages.push_back("done, but how long it took is not known: " + missing_.at(leader_).reason);
  conclude({.id = migration.id, .status = CPPC_OK});
}

// The ranks of its node can stop, and leave, but no replacement can be started there. What a substitute is told of the
// places has to be true: while a migration is committed it waits.
void Job::admit_substitutes() {
  if (committing_) return;
  for (auto& [agent, missing] : std::exchange(missing_, {})) {
    if (!missing.substituted) {
      missing_.emplace(agent, std::move(missing));
      continue;
    }
    picture_.substituted(agent);
    requests_.send(agent, wire::Placement{picture_.places()});
    losses_.push_back({missing.reason});
    if (quitting_) requests_.send(agent, wire::Quit{});
    if (!abandonment_) continue;
    abandonment_->awaited.insert(agent);
    requests_.send(agent, wire::Abandon{active()->id});
  }
}

// Ranks without an agent cannot stop for the others, but its guardian may send a substitute; the agents of nodes
// without ranks are missed by nobody.
void Job::lose(int agent, const std::string& reason) {
  if (picture_.is_lost(agent) || missing_.contains(agent)) return;
  picture_.left(agent);
  if (abandonment_) abandonment_->awaited.erase(agent);
  if (!picture_.complete()) {
    picture_.lost(agent);
    return stand_down(reason);
  }
  if (committing_ || has_ranks(agent)) {
    picture_.without_mpi(agent);
    missing_.emplace(agent, Missing{reason});
  } else {
    picture_.lost(agent);
    losses_.push_back({reason});
  }
  abandon(reason);
}

// Agents are missing as well when mpirun ends the job; then it has ended in a moment.
void Job::settle_missing() {
  if (committing_ || state_ == State::ended || !stood_down_.empty()) return;
  for (auto& [agent, missing] : missing_) {
    if (++missing.for_ticks <= patience_with_guardians) continue;
    picture_.lost(agent);
    return stand_down(missing.reason);
  }
}

// Before the decision a migration is undone on every node by itself.
void Job::abandon(const std::string& reason) {
  const Migration* migration = active();
  if (migration == nullptr || settling_ || committing_ || abandonment_ || !stood_down_.empty()) return;
  const bool starting = migration->state == Migration::State::prepare;
  abandonment_ = Abandonment{reason, {}, starting ? deadlines::start() + agreeing : agreeing};
  for (const int agent : agents_left()) abandonment_->awaited.insert(agent);
  send_to_all(wire::Abandon{migration->id});
}

// Agents are lost as well when mpirun ends the job; then it has ended in a moment.
void Job::settle_abandonment() {
  for (Loss& loss : losses_)
    if (state_ != State::ended && ++loss.for_ticks == patience_with_mpirun)
      spdlog::error("{}: its node takes no rank any more; the job goes on", loss.reason);
  if (!abandonment_ || state_ == State::ended || !stood_down_.empty()) return;
  if (std::chrono::seconds(++abandonment_->lasts) > abandonment_->patience) drop_silent();
  if (!abandonment_ || !abandonment_->awaited.empty() || abandonment_->lasts < patience_with_mpirun) return;
  const std::string reason = abandonment_->reason;
  finish(*active(), Migration::State::failed, CPPC_ERR_LOST, reason);
  advance();
}

void Job::drop_silent() {
  const std::set<int> silent = abandonment_->awaited;
  for (const int agent : silent) {
    const std::string reason = "the agent of " + picture_.node_name(agent) + " does not answer";
    abandonment_->reason += "; " + reason;
    requests_.drop(agent);
    lose(agent, reason);
  }
}

// Agents work together or not at all. But they die as well when mpirun ends the job; then it has ended in a moment.
void Job::stand_down(const std::string& reason) {
  if (!stood_down_.empty()) return;
  stood_down_ = reason;
  stood_down_for_ = 0;
  requests_.dismiss();
}

void Job::settle_stand_down() {
  if (stood_down_.empty() || state_ == State::ended || ++stood_down_for_ != patience_with_mpirun) return;
  spdlog::error("{}: no rank can be moved any more; the job goes on", stood_down_);
  if (Migration* migration = active(); migration != nullptr)
    finish(*migration, Migration::State::failed, CPPC_ERR_LOST, stood_down_);
  advance();
}

void Job::end_job(const std::string& reason) {
  spdlog::critical("migration {} cannot be completed nor undone, and the job ends: {}", active()->id, reason);
  finish(*active(), Migration::State::damaged, CPPC_ERR_PEER, reason);
  requests_.end();
}

}  // namespace cppc::run
