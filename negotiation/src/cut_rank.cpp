#include "cppc/cut_rank.hpp"

#include <linux/futex.h>
#include <spdlog/spdlog.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <span>
#include <vector>

#include "layout.hpp"

namespace cppc::negotiation {
namespace {

using detail::CutTable;

/// How often a waiting rank lets MPI serve others and looks whether its agent lives; a change wakes it.
constexpr long look_every_ns = 1'000'000;

}  // namespace

const std::uint32_t CutRank::most = CutTable::capacity;

CutRank::CutRank(RankSide& side) : side_(&side), table_(&side.page_.layout_->table(side.rank_)) {}

CollectiveCount* CutRank::open(std::uint64_t id, std::uint32_t size, std::uint64_t begun) {
  while (first_free_ < most && table_->rows[first_free_].size.load(std::memory_order_relaxed) != 0) ++first_free_;
  if (first_free_ == most) {
    ++unlisted_;
    table_->end.store(most + 1);
    return nullptr;
  }
  CutTable::Row& row = table_->rows[first_free_++];
  row.count.begun = begun;
  row.count.acknowledged = row.count.announced;
  std::atomic_ref(row.count.id).store(id);
  row.size.store(size);
  if (table_->end.load() < first_free_) table_->end.store(first_free_);
  return &row.count;
}

void CutRank::close(CollectiveCount* count) {
  if (count == nullptr) {
    if (--unlisted_ == 0) table_->end.store(most);
    return;
  }
  const auto row = static_cast<std::uint32_t>(reinterpret_cast<CutTable::Row*>(count) - &table_->rows[0]);
  table_->rows[row].size.store(0);
  first_free_ = std::min(first_free_, row);
}

void CutRank::begin(CollectiveCount* count) {
  const std::atomic_ref<std::uint64_t> begun(count->begun);
  begun.store(begun.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

CurrentOperation* CutRank::current() { return &table_->current; }

bool CutRank::withdrawn(CollectiveCount* count) {
  const std::uint64_t announced = std::atomic_ref(count->announced).load();
  if (announced == count->acknowledged) return false;
  std::atomic_ref(count->begun).store(count->begun - 1);
  std::atomic_ref(count->acknowledged).store(announced);  // after that: agents take the count for the one before
  return true;
}

bool CutRank::wanted() const { return (*side_->page_.doorbell() & static_cast<std::uint32_t>(Doorbell::cut)) != 0; }

bool CutRank::behind() const {
  const std::uint32_t end = std::min(table_->end.load(), most);
  for (std::uint32_t i = 0; i < end; ++i) {
    const CutTable::Row& row = table_->rows[i];
    if (row.size.load(std::memory_order_relaxed) == 0) continue;
    if (row.count.begun < detail::target_for(row.count.id, row.target.load())) return true;
  }
  return false;
}

/// Whether some operation that the rank has not begun is being withdrawn.
bool CutRank::announced() const {
  const auto rows = std::span(table_->rows).first(std::min(table_->end.load(), most));
  return std::ranges::any_of(rows, [](CutTable::Row& row) { return row.size.load() != 0 && !row.acknowledged(); });
}

/// In the order of communicators that all members have.
void CutRank::take_part(const TakePart& how) {
  const std::uint64_t number = table_->take_part.load();
  if (number == 0) return;
  std::vector<CutTable::Row*> announced;
  for (CutTable::Row& row : std::span(table_->rows).first(std::min(table_->end.load(), most))) {
    if (row.size.load() == 0 || row.acknowledged()) continue;
    if (std::atomic_ref(row.count.announced).load() == number) announced.push_back(&row);
  }
  std::ranges::sort(announced, {}, [](const CutTable::Row* row) { return row->count.id; });
  for (CutTable::Row* const row : announced) {
    how(&row->count, {row->what.load(), row->elements.load()});
    std::atomic_ref(row->count.acknowledged).store(number);
  }
}

Decision CutRank::reached(cut::Place place, int waits_for, const std::function<void()>& progress,
                          const TakePart& how_to_take_part) {
  auto& layout = *side_->page_.layout_;
  table_->waits_for.store(waits_for);
  table_->kept_by.store(0, std::memory_order_relaxed);
  for (;;) {
    const std::uint32_t changes = layout.cut_changes.load();
    const cut::Word word(layout.cut.load());
    take_part(how_to_take_part);
    const cut::Word mark(table_->mark.load(std::memory_order_relaxed));
    // Once it has stopped in a turn it stays, whatever else the page says: its agent counts on it.
    const bool stays = mark == word;
    const bool stopped = mark.epoch() == word.epoch() && mark.turn() == word.turn();
    const auto move =
        stays ? cut::RankMove::hold : cut::rank_move(word, behind(), table_->needed.load() != 0, stopped, place);
    if (move != cut::RankMove::hold && announced()) return lost();
    if (move == cut::RankMove::go_on) return Decision::go_on;
    if (move == cut::RankMove::done) return Decision::stop;
    if (move == cut::RankMove::stop) table_->mark.store(word.bits());
    if (!await_change(changes, progress)) {
      if (announced()) return lost();
      spdlog::info("rank {} goes on from a cut: its agent has died", side_->rank_);
      return Decision::refused;
    }
  }
}

Decision CutRank::lost() const {
  spdlog::critical(
      "rank {} has lost the other nodes while a collective operation was being withdrawn, and cannot know whether it "
      "has "
      "taken place: the job ends; start it again, from its last checkpoint if it has one",
      side_->rank_);
  return Decision::lost;
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
