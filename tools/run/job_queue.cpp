// Migrations that wait for their turn: which ones a job takes, and when they begin.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "job.hpp"

namespace cppc::run {

tl::expected<std::vector<NamedMove>, Job::Refusal> Job::plan(const plan::Request& request) const {
  const std::lock_guard lock(mutex_);
  return plan_locked(request);
}

tl::expected<std::vector<NamedMove>, Job::Refusal> Job::plan_locked(const plan::Request& request) const {
  if (state_ == State::ended) return tl::unexpected(Refusal{Refusal::Kind::ended, "the job has ended"});
  if (state_ == State::starting) return tl::unexpected(Refusal{Refusal::Kind::starting, "the job is still starting"});
  if (disabled_) return tl::unexpected(Refusal{Refusal::Kind::plan, cannot_move()});
  if (still_allocated(request)) return std::vector<NamedMove>{};
  const auto plan = plan::make_plan(snapshot_after_queue(), request);
  if (!plan) return tl::unexpected(Refusal{Refusal::Kind::plan, plan.error()});
  return named(plan->moves);
}

tl::expected<Migration, Job::Refusal> Job::submit(const plan::Request& request, double timeout_s, bool keep_node,
                                                  const Origin& origin) {
  const std::lock_guard lock(mutex_);
  auto moves = plan_locked(request);
  if (!moves && !may_be_possible(request, moves.error().kind)) return tl::unexpected(std::move(moves).error());
  Migration& migration = migrations_.emplace_back();
  migration.id = migrations_.size();
  migration.request = request;
  migration.timeout_s = timeout_s;
  migration.keep_node = keep_node;
  migration.origin = origin;
  if (moves) migration.moves = *std::move(moves);
  cancel_waiting_checkpoint();
  advance();
  notify_changed();
  return migrations_.back();
}

// The next one comes by itself, and a node that is to be left may fail meanwhile. Once the ranks stand still it is over
// soon.
void Job::cancel_waiting_checkpoint() {
  const Migration* const first = active();
  if (first == nullptr || !first->draft || !first->origin.periodic || !in(Execution::State::revocable)) return;
  if (first->state == Migration::State::prepare || first->state == Migration::State::negotiate)
    send_to_all(wire::Cancel{first->id});
}

// When its turn comes: those before it may fail.
bool Job::may_be_possible(const plan::Request& request, Refusal::Kind refusal) const {
  if (refusal == Refusal::Kind::starting) return true;
  return refusal == Refusal::Kind::plan && !disabled_ && plan::make_plan(picture_.snapshot(), request);
}

bool Job::cancel(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  if (id < 1 || id > migrations_.size()) return false;
  Migration& migration = migrations_[id - 1];
  if (&migration == active()) {
    send_to_all(wire::Cancel{id});
  } else if (!migration.over()) {
    finish(migration, Migration::State::failed, CPPC_ERR_CANCELLED, "cancelled before it began");
    advance();
    notify_changed();
  }
  return true;
}

// The migrations before a new one are taken as done.
plan::Snapshot Job::snapshot_after_queue() const {
  plan::Snapshot snapshot = picture_.snapshot();
  for (std::size_t i = next_; i < migrations_.size(); ++i) {
    const Migration& migration = migrations_[i];
    if (migration.over()) continue;
    if (migration.state != Migration::State::queued) {
      if (!execution_->moved()) snapshot = plan::after(std::move(snapshot), execution_->plan);
    } else if (const auto plan = plan::make_plan(snapshot, migration.request)) {
      snapshot = plan::after(std::move(snapshot), *plan);
    }
  }
  return snapshot;
}

std::vector<NamedMove> Job::named(const std::vector<plan::Move>& moves) const {
  std::vector<NamedMove> named;
  for (const plan::Move& move : moves) {
    named.push_back({move.rank, picture_.node_name(move.from), picture_.node_name(move.to)});
  }
  return named;
}

// Begins what can be begun: the next migration of the queue, or the end of the job.
void Job::advance() {
  if (!is_running()) return;
  admit_substitutes();
  for (; (missing_.empty() || disabled_) && next_ < migrations_.size() && active() == nullptr;
       next_ += migrations_[next_].over() ? 1 : 0) {
    Migration& migration = migrations_[next_];
    if (migration.over()) continue;
    if (disabled_ || state_ == State::finishing) {
      finish(migration, Migration::State::refused, CPPC_ERR_REFUSED,
             disabled_ ? cannot_move() : "the job is finishing");
      continue;
    }
    if (migration.relocation) {
      start_relocation(migration);
      continue;
    }
    if (migration.draft) {
      start(migration, {});
      continue;
    }
    if (const auto agent = still_allocated(migration.request)) {
      migration.state = Migration::State::commit;
      migration.started = migration.carried_out = Migration::Clock::now();
      execution_ = Execution{.plan = {.retire = agent}};
      release(migration, *agent);
      continue;
    }
    auto plan = plan::make_plan(picture_.snapshot(), migration.request);
    if (plan) {
      start(migration, *std::move(plan));
    } else {
      finish(migration, Migration::State::refused, CPPC_ERR_REFUSED, plan.error());
    }
  }
  if (next_ == migrations_.size() && state_ == State::running && picture_.all_finished()) {
    spdlog::info("every rank has finished");
    state_ = State::finishing;
    send_to_all(wire::Quit{});
  }
}

// The node of an agent that has left, when the resource manager has it still: to evacuate it again is to try that
// again.
std::optional<int> Job::still_allocated(const plan::Request& request) const {
  const auto found = std::ranges::find_if(releases_, [&](const auto& one) {
    return picture_.node_name(one.first) == request.evacuate && one.second.state != Release::State::released;
  });
  return found == releases_.end() ? std::nullopt : std::optional(found->first);
}

}  // namespace cppc::run
