// Relocations: all ranks stop and write their images, and go on under another mpirun.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "job.hpp"
#include "keepers.hpp"

namespace cppc::run {
namespace {

double milliseconds_since(Migration::Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Migration::Clock::now() - start).count();
}

}  // namespace

tl::expected<RelocationPlan, std::string> Job::plan_locked(const RelocationRequest& request,
                                                           const plan::Snapshot& snapshot) const {
  for (const AllocatedNode& node : request.add)
    if (released_.contains(node.name))
      return tl::unexpected(node.name + " has left the resource manager's job, and cannot come back to it");
  return plan_relocation(snapshot, picture_.allocated(), request);
}

tl::expected<std::vector<NamedMove>, Job::Refusal> Job::plan(const RelocationRequest& request) const {
  const std::lock_guard lock(mutex_);
  if (state_ == State::ended) return tl::unexpected(Refusal{Refusal::Kind::ended, "the job has ended"});
  if (!is_running()) return tl::unexpected(Refusal{Refusal::Kind::starting, "the job is still starting"});
  if (disabled_)
    return tl::unexpected(Refusal{Refusal::Kind::plan, disabled_->reason + ": no rank can be stopped any more"});
  auto plan = plan_locked(request, snapshot_after_queue());
  if (!plan) return tl::unexpected(Refusal{Refusal::Kind::plan, plan.error()});
  return std::move(plan->moves);
}

tl::expected<Migration, Job::Refusal> Job::relocate(const RelocationRequest& request, const checkpoint::Draft& draft,
                                                    double timeout_s, const Origin& origin) {
  auto moves = plan(request);
  if (!moves) return tl::unexpected(std::move(moves).error());
  const std::lock_guard lock(mutex_);
  Migration& migration = migrations_.emplace_back();
  migration.id = migrations_.size();
  migration.draft = draft;
  migration.relocation = request;
  migration.origin = origin;
  migration.moves = *std::move(moves);
  migration.timeout_s = timeout_s;
  advance();
  notify_changed();
  return migrations_.back();
}

void Job::start_relocation(Migration& migration) {
  auto plan = plan_locked(*migration.relocation, picture_.snapshot());
  if (!plan) return finish(migration, Migration::State::refused, CPPC_ERR_REFUSED, plan.error());
  migration.moves = plan->moves;
  start(migration, {});
  execution_->relocation = *std::move(plan);
}

std::vector<int> Job::departed_from(const std::string& node) const {
  const std::lock_guard lock(mutex_);
  return run::departed_from(node, migrations_);
}

bool Job::has_up(const std::string& node) const {
  const std::lock_guard lock(mutex_);
  const plan::Snapshot snapshot = picture_.snapshot();
  const auto found = std::ranges::find(snapshot.nodes, node, &plan::Node::name);
  return found != snapshot.nodes.end() && found->state == plan::NodeState::up;
}

// All files are there: nothing is lost from here on, whatever becomes of mpirun.
void Job::leave() {
  Migration& migration = *active();
  execution_->state = Execution::State::leaving;
  execution_->ticks = 0;
  migration.state = Migration::State::commit;
  migration.timeline.take({.id = migration.id, .phase = "commit", .agent = execution_->leader},
                          Migration::Clock::now());
  state_ = State::finishing;
  send_to_all(wire::Proceed{migration.id, /*leaves=*/true});
}

void Job::stay(std::string reason) {
  send_to_all(wire::Proceed{active()->id, /*leaves=*/false});
  finish(*active(), Migration::State::failed, CPPC_ERR_LOST, reason);
}

std::optional<Relocation> Job::relocation() const {
  const std::lock_guard lock(mutex_);
  if (!in(Execution::State::leaving)) return std::nullopt;
  const checkpoint::Draft& draft = *migrations_[next_].draft;
  return Relocation{draft.complete, execution_->relocation.before, execution_->relocation.after,
                    state_ == State::starting};
}

void Job::relocation_failed(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (in(Execution::State::leaving)) execution_->spoiled = reason;
}

// The ranks work again.
void Job::arrive() {
  Migration& migration = *active();
  migration.outcome.frozen_ms += milliseconds_since(*migration.carried_out);
  migration.outcome.downtime_ms.clear();  // of each rank: nobody knows
  const std::string reason = execution_->spoiled;
  const checkpoint::Draft images = *migration.draft;
  finish(migration, reason.empty() ? Migration::State::done : Migration::State::failed,
         reason.empty() ? CPPC_OK : CPPC_ERR_LOST, reason);
  // Without partners they are for this relocation alone.
  if (reason.empty() && images.set != 0 && !description_.keepers->protects()) requests_.discard(images);
}

}  // namespace cppc::run
