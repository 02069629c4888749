#include "cppc/cut_rank.hpp"

#include <linux/futex.h>
#include <spdlog/spdlog.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <ctime>

#include "layout.hpp"

namespace cppc::negotiation {
namespace {

using detail::CutTable;

/// How often a waiting rank lets MPI serve others and looks whether its agent lives; a change wakes it.
constexpr long look_every_ns = 1'000'000;

}  // namespace

const std::uint32_t CutRank::most = CutTable::capacity;

CutRank::CutRank(RankSide& side) : side_(&side), table_(&side.page_.layout_->table(side.rank_)) {}

std::uint64_t* CutRank::open(std::uint64_t id, std::uint32_t size, std::uint64_t begun) {
  while (first_free_ < most && table_->rows[first_free_].size.load(std::memory_order_relaxed) != 0) ++first_free_;
  if (first_free_ == most) {
    ++unlisted_;
    table_->end.store(most + 1);
    return nullptr;
  }
  CutTable::Row& row = table_->rows[first_free_++];
  row.begun = begun;
  row.id.store(id);
  row.size.store(size);
  if (table_->end.load() < first_free_) table_->end.store(first_free_);
  return &row.begun;
}

void CutRank::close(std::uint64_t* counter) {
  if (counter == nullptr) {
    if (--unlisted_ == 0) table_->end.store(most);
    return;
  }
  constexpr std::size_t row_words = sizeof(CutTable::Row) / sizeof(std::uint64_t);
  const auto row = static_cast<std::uint32_t>((counter - &table_->rows[0].begun) / row_words);
  table_->rows[row].size.store(0);
  first_free_ = std::min(first_free_, row);
}

void CutRank::begin(std::uint64_t* counter) {
  const std::atomic_ref<std::uint64_t> begun(*counter);
  begun.store(begun.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

bool CutRank::wanted() const { return (*side_->page_.doorbell() & static_cast<std::uint32_t>(Bell::cut)) != 0; }

bool CutRank::behind() const {
  const std::uint32_t end = std::min(table_->end.load(), most);
  for (std::uint32_t i = 0; i < end; ++i) {
    const CutTable::Row& row = table_->rows[i];
    if (row.size.load(std::memory_order_relaxed) == 0) continue;
    if (row.begun < detail::target_for(row.id.load(), row.target.load())) return true;
  }
  return false;
}

Decision CutRank::reached(cut::Place place, int waits_for, const std::function<void()>& progress) {
  auto& layout = *side_->page_.layout_;
  table_->waits_for.store(waits_for);
  table_->kept_by.store(0, std::memory_order_relaxed);
  for (;;) {
    const std::uint32_t changes = layout.cut_changes.load();
    const cut::Word word(layout.cut.load());
    const cut::Word mark(table_->mark.load(std::memory_order_relaxed));
    // Once it has stopped in a turn it stays, whatever else the page says: its agent counts on it.
    const bool stays = mark == word;
    const bool stopped = mark.epoch() == word.epoch() && mark.turn() == word.turn();
    const auto move =
        stays ? cut::RankMove::hold : cut::rank_move(word, behind(), table_->needed.load() != 0, stopped, place);
    if (move == cut::RankMove::go_on) return Decision::go_on;
    if (move == cut::RankMove::done) return Decision::stop;
    if (move == cut::RankMove::stop) table_->mark.store(word.bits());
    if (!await_change(changes, progress)) {
      spdlog::info("rank {} goes on from a cut: its agent has died", side_->rank_);
      return Decision::refused;
    }
  }
}

/// False when there will be none.
bool CutRank::await_change(std::uint32_t changes, const std::function<void()>& progress) {
  if (side_->agent_gone()) return false;
  const timespec moment{0, look_every_ns};
  // However it returns (woken, changed before, time over, signal), the caller looks again.
  syscall(SYS_futex, &side_->page_.layout_->cut_changes, FUTEX_WAIT, changes, &moment, nullptr, 0);
  if (progress) progress();
  return true;
}

void CutRank::enter(int waits_for, std::uint8_t what) {
  table_->waits_for.store(waits_for, std::memory_order_relaxed);
  table_->kept_by.store(what, std::memory_order_relaxed);
  table_->inside.store(1, std::memory_order_relaxed);
}

void CutRank::moved_on() {
  table_->inside.store(0, std::memory_order_relaxed);
  table_->waits_for.store(cut::nobody, std::memory_order_relaxed);
}

}  // namespace cppc::negotiation
