// What operators see of a job, and how long it waits for those who look.

#include <algorithm>

#include "job.hpp"

namespace cppc::run {
namespace {

constexpr int watchers_timeout = 5;  // ticks

}  // namespace

Job::State Job::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

Job::View Job::view() const {
  const std::lock_guard lock(mutex_);
  View view{state_, picture_.ranks(), {}, picture_.nodes(), {}, {}};
  view.moving.resize(view.ranks.size());
  if (execution_ && !execution_->moved()) {
    for (const plan::Move& move : execution_->plan.moves) view.moving[move.rank] = true;
  }
  view.releases.resize(view.nodes.size());
  for (const auto& [agent, release] : releases_) view.releases[agent] = release;
  for (const Migration& migration : migrations_) view.migrations.push_back(migration.id);
  if (execution_ && execution_->moved())
    view.nodes[*execution_->plan.retire].state = plan::NodeState::up;  // until its processes have gone
  return view;
}

std::optional<Migration> Job::migration(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  if (id < 1 || id > migrations_.size()) return std::nullopt;
  Migration& migration = migrations_[id - 1];
  migration.unseen_for = 0;
  migration.end_seen = migration.over();
  changed_.notify_all();
  return migration;
}

void Job::drop_old_details() {
  while (detailed_ + most_detailed < migrations_.size() && migrations_[detailed_].over())
    migrations_[detailed_++].drop_details();
}

std::vector<Migration> Job::migrations(std::uint64_t first) const {
  const std::lock_guard lock(mutex_);
  const auto skipped = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(first - 1, migrations_.size()));
  return {migrations_.begin() + skipped, migrations_.end()};
}

std::vector<Migration> Job::asked_by_others() const {
  constexpr std::size_t most = 5;
  const std::lock_guard lock(mutex_);
  std::vector<Migration> few;
  for (auto one = migrations_.rbegin(); one != migrations_.rend() && few.size() < most; ++one)
    if (one->origin.foreign) few.push_back(*one);
  return few;
}

void Job::await_watchers() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !unseen_end(); });
}

bool Job::unseen_end() const {
  return std::any_of(migrations_.begin(), migrations_.end(), [](const Migration& migration) {
    return !migration.end_seen && migration.unseen_for <= watchers_timeout;
  });
}

}  // namespace cppc::run
