// Agents that are lost, and what becomes of the job and of a migration without them.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "cppc/deadlines.hpp"
#include "job.hpp"

namespace cppc::run {
namespace {

constexpr int mpirun_timeout = 3;  // ticks

}  // namespace

void Job::left(int agent) {
  const std::lock_guard lock(mutex_);
  picture_.left(agent);
  const bool retires = execution_ && execution_->plan.retire == agent;
  if (retires && execution_->moved()) requests_.await_exit(agent);
  const bool expected = retires && (execution_->moved() || in(Execution::State::committing));
  if (!expected && state_ != State::finishing && state_ != State::ended) {
    spdlog::info("{}: its agent is gone", picture_.node_name(agent));
    lose(agent, "the agent of " + picture_.node_name(agent) + " has died");
  }
  if (!picture_.anybody_connected())
    requests_.over(/*orderly=*/state_ == State::finishing || disabled_ || !missing_.empty());
  notify_changed();
}

void Job::gone(int agent, bool clean) {
  const std::lock_guard lock(mutex_);
  if (clean) ended_.insert(agent);
  check_completion();
}

bool Job::spare(int agent) {
  const std::lock_guard lock(mutex_);
  if (!is_running() || in(Execution::State::committing) || has_ranks(agent)) return false;
  lost_.insert(agent);
  lose(agent, picture_.node_name(agent) + " does not answer any more");
  requests_.drop(agent);
  check_completion();
  return true;
}

// mpirun goes on waiting for the agent of a node that has vanished.
void Job::check_completion() {
  if (lost_.empty() || state_ == State::ended) return;
  for (int agent = 0; agent < picture_.agents(); ++agent)
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
  if (disabled_ || !picture_.complete()) return requests_.drop(agent);
  lose(agent, "the agent of " + picture_.node_name(agent) + " has died");
  const auto missing = missing_.find(agent);
  if (missing == missing_.end()) return requests_.drop(agent);
  missing->second.substituted = true;
  if (in(Execution::State::committing) && agent == execution_->leader && substitute.confirmed == active()->id)
    conclude_without_leader();
  admit_substitutes();
}

// It would have reported the end.
void Job::conclude_without_leader() {
  Migration& migration = *active();
  migration.messages.push_back("done, but how long it took is not known: " + missing_.at(execution_->leader).reason);
  conclude({.id = migration.id, .status = CPPC_OK});
}

// The ranks of its node can stop, and leave, but no replacement can be started there. What a substitute is told of the
// places has to be true: while a migration is committed it waits.
void Job::admit_substitutes() {
  if (in(Execution::State::committing)) return;
  for (auto& [agent, missing] : std::exchange(missing_, {})) {
    if (!missing.substituted) {
      missing_.emplace(agent, std::move(missing));
      continue;
    }
    picture_.substituted(agent);
    requests_.send(agent, wire::Placement{picture_.places()});
    losses_.push_back({missing.reason});
    if (state_ == State::finishing) requests_.send(agent, wire::Quit{});
    if (!in(Execution::State::undoing)) continue;
    execution_->undo.awaited.insert(agent);
    requests_.send(agent, wire::Abandon{active()->id});
  }
}

// Ranks without an agent cannot stop for the others, but its guardian may send a substitute; the agents of nodes
// without ranks are missed by nobody.
void Job::lose(int agent, const std::string& reason) {
  if (picture_.is_lost(agent) || missing_.contains(agent)) return;
  picture_.left(agent);
  if (execution_ && execution_->undo.awaited.erase(agent) > 0 && in(Execution::State::undoing))
    execution_->undo.reason += "; " + reason;
  if (!picture_.complete()) {
    picture_.lost(agent);
    return disable_migration(reason);
  }
  if (in(Execution::State::committing) || has_ranks(agent)) {
    picture_.without_mpi(agent);
    missing_.emplace(agent, Missing{reason});
  } else {
    picture_.lost(agent);
    losses_.push_back({reason});
  }
  if (active() != nullptr && active()->relocation && (in(Execution::State::telling) || in(Execution::State::storing)))
    execution_->spoiled = reason;  // its ranks may work on already
  undo(reason);
}

// Agents are missing as well when mpirun ends the job; then it has ended in a moment.
void Job::settle_missing() {
  if (in(Execution::State::committing) || state_ == State::ended || disabled_) return;
  for (auto& [agent, missing] : missing_) {
    if (++missing.for_ticks <= guardians_timeout) continue;
    picture_.lost(agent);
    return disable_migration(missing.reason);
  }
}

// Before the decision a migration is undone on every node by itself.
void Job::undo(const std::string& reason) {
  if (!in(Execution::State::revocable) || disabled_) return;
  const Migration& migration = *active();
  const bool starting = migration.state == Migration::State::prepare;
  execution_->state = Execution::State::undoing;
  execution_->undo = {.reason = reason, .timeout = starting ? deadlines::start() + agreeing : agreeing};
  for (const int agent : agents_left()) execution_->undo.awaited.insert(agent);
  send_to_all(wire::Abandon{migration.id});
}

// Agents are lost as well when mpirun ends the job; then it has ended in a moment.
void Job::report_losses() {
  for (Loss& loss : losses_)
    if (state_ != State::ended && ++loss.for_ticks == mpirun_timeout)
      spdlog::error("{}: its node takes no rank any more; the job goes on", loss.reason);
}

void Job::watch_over_undoing() {
  if (!in(Execution::State::undoing) || state_ == State::ended || disabled_) return;
  Execution::Undoing& undo = execution_->undo;
  if (std::chrono::seconds(++undo.ticks) > undo.timeout) drop_silent();
  if (disabled_ || !undo.awaited.empty() || undo.ticks < mpirun_timeout) return;
  finish(*active(), Migration::State::failed, CPPC_ERR_LOST, std::string(undo.reason));
  advance();
}

void Job::drop_silent() {
  const std::set<int> silent = execution_->undo.awaited;
  for (const int agent : silent) {
    requests_.drop(agent);
    lose(agent, "the agent of " + picture_.node_name(agent) + " does not answer");
  }
}

// Agents work together or not at all. But they die as well when mpirun ends the job; then it has ended in a moment.
void Job::disable_migration(const std::string& reason) {
  if (disabled_) return;
  disabled_ = Disabled{reason};
  requests_.dismiss();
}

void Job::report_disabled() {
  if (!disabled_ || state_ == State::ended || ++disabled_->ticks != mpirun_timeout) return;
  spdlog::error("{}: no rank can be moved any more; the job goes on", disabled_->reason);
  if (Migration* migration = active(); migration != nullptr)
    finish(*migration, Migration::State::failed, CPPC_ERR_LOST, disabled_->reason);
  advance();
}

void Job::end_job(const std::string& reason) {
  spdlog::critical("migration {} cannot be completed nor undone, and the job ends: {}", active()->id, reason);
  finish(*active(), Migration::State::damaged, CPPC_ERR_PEER, reason);
  requests_.end();
}

}  // namespace cppc::run
