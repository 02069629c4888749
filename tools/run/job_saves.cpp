// Checkpoints among the migrations of a job: those stop the ranks and move some, these stop them and move none.

#include <algorithm>

#include "job.hpp"

namespace cppc::run {

tl::expected<Migration, Job::Refusal> Job::save(const checkpoint::Draft& draft, double timeout_s,
                                                const Origin& origin) {
  const std::lock_guard lock(mutex_);
  if (state_ == State::ended) return tl::unexpected(Refusal{Refusal::Kind::ended, "the job has ended"});
  if (disabled_)
    return tl::unexpected(Refusal{Refusal::Kind::plan, disabled_->reason + ": no rank can be stopped any more"});
  Migration& migration = migrations_.emplace_back();
  migration.id = migrations_.size();
  migration.draft = draft;
  migration.origin = origin;
  migration.timeout_s = timeout_s;
  if (!draft.gathered.empty())
    migration.messages.push_back("other nodes do not see " + draft.complete.parent_path().string() +
                                 ": the images are gathered on " + description_.own_node);
  advance();
  return migration;
}

// The leader's Outcome may come before what other agents tell.
void Job::saved(const wire::Saved& saved) {
  Migration* migration = active();
  if (migration == nullptr || migration->id != saved.id || !migration->draft) return;
  migration->saved.resize(picture_.ranks().size());
  migration->saved_by.resize(migration->saved.size());
  for (const wire::SavedImage& image : saved.images) {
    if (static_cast<std::size_t>(image.rank) >= migration->saved.size()) continue;
    migration->saved[image.rank] = image;
    migration->saved_by[image.rank] = saved.agent;
  }
  if (in(Execution::State::telling)) store_if_known(*migration);
}

void Job::store_if_known(Migration& migration) {
  const bool all = !migration.saved.empty() && std::ranges::all_of(migration.saved, &wire::SavedImage::bytes);
  if (!all) return;
  execution_->state = Execution::State::storing;
  requests_.store(migration);
}

// An agent may be lost before it has told.
void Job::watch_over_saved() {
  if (std::chrono::seconds(++execution_->ticks) <= agreeing) return;
  const char* const reason = "not all agents have told what their ranks have written";
  if (active()->relocation) return stay(reason);
  finish(*active(), Migration::State::failed, CPPC_ERR_LOST, reason);
}

void Job::stored(std::uint64_t id, const Result<void>& result) {
  const std::lock_guard lock(mutex_);
  Migration* migration = active();
  if (!in(Execution::State::storing) || migration->id != id) return;
  if (migration->relocation) {
    result && execution_->spoiled.empty() ? leave() : stay(result ? execution_->spoiled : result.error());
  } else if (result) {
    finish(*migration, Migration::State::done, CPPC_OK, "");
  } else {
    finish(*migration, Migration::State::failed, CPPC_ERR_SYSTEM, result.error());
  }
  advance();
  changed_.notify_all();
}

}  // namespace cppc::run
