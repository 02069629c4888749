/// A checkpoint, once all ranks stand still: they take snapshots of their states, work on, and write files from these.
/// Or they write their files and stand until the controller says what becomes of them.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "cppc/deadlines.hpp"
#include "operation.hpp"

namespace cppc::migration {

using namespace std::chrono_literals;

/// Whether all files are there.
bool Operation::save() {
  if (order_.stands) return save_standing();
  copy_states();
  if (!agree()) return false;
  work_on();
  write_files();
  if (!agree()) return false;
  share_times();
  if (!comm_.broken()) return true;
  failure_ = {CPPC_ERR_LOST, "an agent was lost when all was written"};  // the ranks work: nothing is damaged
  return false;
}

bool Operation::save_standing() {
  node_.control.command(Action::save);
  write_files();
  outcome_.frozen_ms = milliseconds_since(frozen_);
  if (!agree()) return false;
  share_times();
  return !comm_.broken();
}

void Operation::copy_states() {
  node_.control.command(Action::copy);
  TimeBudget budget(deadlines::ship());
  for (const int rank : node_.local_ranks()) {
    const Slot& slot = node_.control.slot(rank);
    for (Stage stage{}; (stage = static_cast<Stage>(slot.stage.get())) != Stage::copied;) {
      if (stage == Stage::failed)
        return fail_for(slot, fmt::format("rank {} on {} cannot make its image", rank, node_.name));
      if (budget.spent())
        return fail(CPPC_ERR_TIMEOUT, fmt::format("rank {} on {} has not made its image in time", rank, node_.name));
      if (given_up()) return;
      std::this_thread::sleep_for(50us);
    }
  }
}

void Operation::work_on() {
  node_.control.command(Action::go_on);
  for (const int rank : node_.local_ranks())
    while (node_.control.slot(rank).stage.get() != static_cast<std::uint32_t>(Stage::working) && !given_up())
      std::this_thread::sleep_for(50us);
  outcome_.frozen_ms = milliseconds_since(frozen_);
  note_downtimes(now_ns());
}

bool Operation::written(int rank) {
  const Slot& slot = node_.control.slot(rank);
  const auto saving = static_cast<Saving>(slot.saving.get());
  if (slot.stage.get() == static_cast<std::uint32_t>(Stage::failed))
    fail_for(slot, fmt::format("rank {} on {} cannot make its image", rank, node_.name));
  if (saving == Saving::failed)
    fail(CPPC_ERR_SYSTEM, fmt::format("rank {} on {}: {}", rank, node_.name, slot.reason.data()));
  return saving == Saving::written;
}

void Operation::write_files() {
  announce("write");
  const std::vector<int> ranks = node_.local_ranks();
  while (!std::ranges::all_of(ranks, [this](int rank) { return written(rank); })) {
    if (failure_.status != CPPC_OK || cancelled() || given_up()) return;
    if (node_.leader() && Clock::now() - reported_ > 100ms) report_bytes();
    std::this_thread::sleep_for(1ms);
  }
  if (node_.leader()) report_bytes();
  for (const int rank : ranks) outcome_.image_bytes += node_.control.slot(rank).image_bytes.load();
  report_saved();
}

void Operation::report_saved() {
  wire::Saved saved{.id = order_.id, .agent = node_.agent};
  for (const int rank : node_.local_ranks()) {
    const Slot& slot = node_.control.slot(rank);
    saved.images.push_back({rank, slot.bytes_done.load(), slot.file_hash.load(), programs_[rank]});
  }
  if (!node_.link.send(saved)) exit_without_aborting_job();
}

/// The next one may use the ranks' places at the control block.
void Operation::end_checkpoint(bool good) {
  const std::vector<int> ranks = node_.local_ranks();
  for (const int rank : ranks) node_.control.slot(rank).saves.store(0);
  if (good) {
    node_.state->confirmed = order_.id;
    return;
  }
  node_.control.command(Action::go_on);
  TimeBudget budget(deadlines::leave());
  const auto writes = [this](int rank) {
    return node_.control.slot(rank).saving.get() == static_cast<std::uint32_t>(Saving::writing);
  };
  while (std::ranges::any_of(ranks, writes) && !budget.spent()) {
    poll_controller();
    std::this_thread::sleep_for(1ms);
  }
}

}  // namespace cppc::migration
