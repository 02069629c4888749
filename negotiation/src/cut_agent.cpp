#include "cppc/cut_agent.hpp"

#include <linux/futex.h>
#include <spdlog/spdlog.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <iterator>
#include <utility>

#include "layout.hpp"

namespace cppc::negotiation {
namespace {

using CutPhase = cut::Phase;
using detail::CutTable;

bool runs(CutPhase phase) {
  return phase == CutPhase::gathering || phase == CutPhase::closing || phase == CutPhase::withdrawing;
}

/// Announcements are numbered anew in each agreement; a row is told of one by a number that it never had before.
std::uint64_t announcement_number(std::uint64_t epoch, std::uint64_t announcement) {
  constexpr int announcement_bits = 20;
  return epoch << announcement_bits | announcement;
}

}  // namespace

tl::expected<void, cppc_status> CutAgent::start(std::uint64_t epoch, TimeBudget::Clock::duration timeout,
                                                std::vector<int> ranks) {
  auto& layout = *page_->layout_;
  const auto in_page = [&](int rank) { return rank >= 0 && rank < layout.app_ranks; };
  if (epoch <= layout.cut_epoch.load() || !std::ranges::all_of(ranks, in_page))
    return tl::unexpected(CPPC_ERR_ARGUMENT);
  const CutPhase before = cut::Word(layout.cut.load()).phase();
  if (in_round_ || (before != CutPhase::idle && before != CutPhase::cancelled)) return tl::unexpected(CPPC_ERR_STATE);
  layout.cut_epoch.store(epoch);
  ranks_ = std::move(ranks);
  budget_ = TimeBudget(timeout);
  status_when_spent_ = CPPC_ERR_TIMEOUT;
  give_up_.reset();
  arbiter_ = cut::Arbiter(static_cast<std::uint16_t>(epoch));
  publish(arbiter_.verdict());
  layout.doorbell.fetch_or(static_cast<std::uint32_t>(Doorbell::cut));
  return {};
}

tl::expected<CutAgent::State, cppc_status> CutAgent::poll() {
  const auto lose = [&](cppc_status why) {
    in_round_ = false;
    set_word(cut::Word(CutPhase::cancelled, word_.epoch(), encode(Reason{why, -1})));
    return tl::unexpected(why);
  };
  if (!runs(word_.phase())) return state();
  if (!in_round_) {
    if (const auto begun = rounds_->begin(report()); !begun) return lose(begun.error());
    in_round_ = true;
  }
  const auto verdict = rounds_->poll([this](const cut::Report& all) { return arbiter_.evaluate(std::span(&all, 1)); });
  if (!verdict) return lose(verdict.error());
  if (!*verdict) return state();
  in_round_ = false;
  publish(**verdict);
  return state();
}

cut::RankView CutAgent::view(int rank, std::vector<cut::Membership>& memberships) const {
  CutTable& table = page_->layout_->table(rank);
  cut::RankView seen{.rank = rank};
  // First: what a rank that has stopped says afterwards cannot change.
  seen.stopped = table.mark.load() == word_.bits();
  seen.inside = table.inside.load() != 0;
  seen.waits_for = table.waits_for.load();
  seen.within = seen.stopped ? cut::Withdrawal{} : table.within();
  memberships.clear();
  const std::uint32_t end = std::min(table.end.load(), CutTable::capacity);
  for (std::uint32_t i = 0; i < end; ++i) {
    CutTable::Row& row = table.rows[i];
    const std::uint32_t size = row.size.load();
    if (size < 2) continue;
    const std::uint64_t id = std::atomic_ref(row.count.id).load();
    if (!row.acknowledged()) ++seen.unacknowledged;
    memberships.push_back({.id = id,
                           .begun = std::atomic_ref(row.count.begun).load(),
                           .target = detail::target_for(id, row.target.load()),
                           .size = size});
  }
  seen.memberships = memberships;
  return seen;
}

cut::Report CutAgent::report() {
  std::vector<std::vector<cut::Membership>> memberships(ranks_.size());
  std::vector<cut::RankView> views;
  for (std::size_t i = 0; i < ranks_.size(); ++i) views.push_back(view(ranks_[i], memberships[i]));
  cut::Report made = cut::report(views, word_.phase());
  if (!give_up_) give_up_ = grounds_to_give_up();
  made.give_up = give_up_;
  return made;
}

std::optional<Reason> CutAgent::grounds_to_give_up() {
  for (const int rank : ranks_) {
    if (page_->record(rank).finishing) return Reason{CPPC_ERR_REFUSED, rank};
    if (page_->layout_->table(rank).end.load() > CutTable::capacity) return Reason{CPPC_ERR_UNSUPPORTED, rank};
  }
  // An agent whose own ranks have come gives the others time to say which ranks have not.
  const auto one = late();
  if (!budget_.spent(one ? std::chrono::milliseconds(0) : std::chrono::milliseconds(500))) return std::nullopt;
  return one ? Reason{status_when_spent_, one->rank, one->inside} : Reason{status_when_spent_, -1};
}

/// While gathering, one that is behind, or that could not stop at its last call.
std::optional<Reason> CutAgent::late() const {
  std::vector<cut::Membership> memberships;
  for (const int rank : ranks_) {
    const cut::RankView seen = view(rank, memberships);
    const auto kept_by = static_cast<std::uint8_t>(page_->layout_->table(rank).kept_by.load());
    const bool behind = cut::behind(seen.memberships);
    const bool here = word_.phase() == CutPhase::closing ? seen.stopped : (!behind && kept_by == 0) || seen.stopped;
    if (here) continue;
    return Reason{CPPC_ERR_TIMEOUT, rank, kept_by == 0 && behind ? Reason::outside_collective : kept_by};
  }
  return std::nullopt;
}

void CutAgent::publish(const cut::Verdict& verdict) {
  for (const int rank : ranks_) {
    CutTable& table = page_->layout_->table(rank);
    const std::uint32_t end = std::min(table.end.load(), CutTable::capacity);
    for (std::uint32_t i = 0; i < end; ++i) {
      CutTable::Row& row = table.rows[i];
      const std::uint64_t id = std::atomic_ref(row.count.id).load();
      row.target.store(detail::target_word(id, verdict.target(id)));
    }
    table.needed.store(verdict.needs(rank) ? 1 : 0);
    announce(verdict, table);
  }
  announces_ = !verdict.withdrawals.empty() && !verdict.take_part;
  set_word(verdict.word);
}

/// To the rank of this table, in the rows of the communicators that the withdrawals are about.
void CutAgent::announce(const cut::Verdict& verdict, CutTable& table) const {
  const std::uint64_t number = announcement_number(page_->layout_->cut_epoch.load(), verdict.announcement);
  for (const cut::Withdrawal& one : verdict.withdrawals) {
    CutTable::Row* const row = table.find(one.id);
    if (row == nullptr) continue;
    row->what.store(one.operation.what);
    row->elements.store(one.operation.count);
    std::atomic_ref(row->count.announced).store(number);
  }
  table.take_part.store(verdict.take_part ? number : 0);
}

void CutAgent::set_word(cut::Word word) {
  auto& layout = *page_->layout_;
  word_ = word;
  layout.cut.store(word.bits());
  if (word.phase() == CutPhase::cancelled || word.phase() == CutPhase::idle)
    layout.doorbell.fetch_and(~static_cast<std::uint32_t>(Doorbell::cut));
  layout.cut_changes.fetch_add(1);
  syscall(SYS_futex, &layout.cut_changes, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void CutAgent::cancel(Reason why) {
  if (why.rank >= 0) {
    if (!give_up_) give_up_ = why;
  } else {
    budget_ = TimeBudget({});
    status_when_spent_ = why.status;
  }
}

tl::expected<void, cppc_status> CutAgent::conclude() {
  if (word_.phase() != CutPhase::decided) return tl::unexpected(CPPC_ERR_STATE);
  set_word({});
  return {};
}

CutAgent::State CutAgent::state() const {
  switch (word_.phase()) {
    case CutPhase::gathering:
      return State::gathering;
    case CutPhase::closing:
    case CutPhase::withdrawing:
      return State::closing;
    case CutPhase::decided:
      return State::decided;
    case CutPhase::cancelled:
      return State::cancelled;
    default:
      return State::idle;
  }
}

Reason CutAgent::reason() const { return word_.reason(); }

std::vector<int> CutAgent::moving() const {
  std::vector<int> late;
  std::ranges::copy_if(ranks_, std::back_inserter(late), [&](int rank) {
    const cut::Word mark(page_->layout_->table(rank).mark.load());
    return mark.epoch() != word_.epoch() || mark.turn() != word_.turn();
  });
  return late;
}

}  // namespace cppc::negotiation
