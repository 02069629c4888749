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

constexpr std::size_t head_words = 6;
constexpr std::size_t standing_words = 4;
constexpr std::size_t wait_words = 2;
constexpr std::size_t verdict_head_words = 4;
constexpr std::size_t target_words = 2;

std::uint64_t pair(std::uint32_t high, std::uint32_t low) { return std::uint64_t{high} << 32 | low; }
std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }
std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }

bool runs(CutPhase phase) { return phase == CutPhase::gathering || phase == CutPhase::closing; }

}  // namespace

Tree::Words encode(const cut::Report& report) {
  Tree::Words words{report.moving,
                    report.caught,
                    report.give_up ? 1U : 0U,
                    report.give_up ? encode(*report.give_up) : 0,
                    report.standings.size(),
                    report.waits.size()};
  for (const cut::Standing& one : report.standings)
    words.insert(words.end(), {one.id, one.most, pair(one.size, one.holders), one.at_most});
  for (const cut::Wait& one : report.waits)
    words.insert(words.end(), {pair(static_cast<std::uint32_t>(one.rank), static_cast<std::uint32_t>(one.whom)),
                               one.presses ? 1U : 0U});
  return words;
}

Tree::Words encode(const cut::Verdict& verdict) {
  Tree::Words words{verdict.word.bits(), verdict.all_needed ? 1U : 0U, verdict.targets.size(), verdict.needed.size()};
  for (const auto& [id, target] : verdict.targets) words.insert(words.end(), {id, target});
  for (const int rank : verdict.needed) words.push_back(static_cast<std::uint64_t>(rank));
  return words;
}

std::optional<cut::Verdict> decode_verdict(std::span<const std::uint64_t> words) {
  if (words.size() < verdict_head_words) return std::nullopt;
  const std::uint64_t targets = words[2];
  const std::uint64_t needed = words[3];
  if (targets > words.size() || needed > words.size() ||
      words.size() != verdict_head_words + targets * target_words + needed)
    return std::nullopt;
  cut::Verdict verdict{.word = cut::Word(words[0]), .all_needed = words[1] != 0};
  const auto* next = words.data() + verdict_head_words;
  for (std::uint64_t i = 0; i < targets; ++i, next += target_words) verdict.targets.emplace_back(next[0], next[1]);
  for (std::uint64_t i = 0; i < needed; ++i) verdict.needed.push_back(static_cast<int>(next[i]));
  return verdict;
}

std::optional<cut::Report> decode_report(std::span<const std::uint64_t> words) {
  if (words.size() < head_words) return std::nullopt;
  const std::uint64_t standings = words[4];
  const std::uint64_t waits = words[5];
  if (standings > words.size() || waits > words.size() ||
      words.size() != head_words + standings * standing_words + waits * wait_words)
    return std::nullopt;
  cut::Report report{.moving = low(words[0]), .caught = low(words[1])};
  if (words[2] != 0) report.give_up = cut::Word(CutPhase::cancelled, 0, words[3]).reason();
  const auto* next = words.data() + head_words;
  for (std::uint64_t i = 0; i < standings; ++i, next += standing_words)
    report.standings.push_back(
        {.id = next[0], .most = next[1], .size = high(next[2]), .holders = low(next[2]), .at_most = low(next[3])});
  for (std::uint64_t i = 0; i < waits; ++i, next += wait_words)
    report.waits.push_back({static_cast<int>(high(next[0])), static_cast<int>(low(next[0])), next[1] != 0});
  return report;
}

tl::expected<void, cppc_status> CutAgent::start(std::uint64_t epoch, Allowance::Clock::duration patience,
                                                std::vector<int> ranks) {
  auto& layout = *page_->layout_;
  const auto in_page = [&](int rank) { return rank >= 0 && rank < layout.app_ranks; };
  if (epoch <= layout.cut_epoch.load() || !std::ranges::all_of(ranks, in_page))
    return tl::unexpected(CPPC_ERR_ARGUMENT);
  const CutPhase before = cut::Word(layout.cut.load()).phase();
  if (in_round_ || (before != CutPhase::idle && before != CutPhase::cancelled)) return tl::unexpected(CPPC_ERR_STATE);
  layout.cut_epoch.store(epoch);
  ranks_ = std::move(ranks);
  patience_ = Allowance(patience);
  end_of_patience_ = CPPC_ERR_TIMEOUT;
  give_up_.reset();
  judge_ = cut::Judge(static_cast<std::uint16_t>(epoch));
  publish(judge_.verdict());
  layout.bell.fetch_or(static_cast<std::uint32_t>(Bell::cut));
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
  const auto verdict = rounds_->poll([this](const cut::Report& all) { return judge_.judge(std::span(&all, 1)); });
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
  memberships.clear();
  const std::uint32_t end = std::min(table.end.load(), CutTable::capacity);
  for (std::uint32_t i = 0; i < end; ++i) {
    CutTable::Row& row = table.rows[i];
    const std::uint32_t size = row.size.load();
    if (size < 2) continue;
    const std::uint64_t id = row.id.load();
    memberships.push_back({.id = id,
                           .begun = std::atomic_ref(row.begun).load(),
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
  cut::Report made = cut::report(views);
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
  if (!patience_.spent(one ? std::chrono::milliseconds(0) : std::chrono::milliseconds(500))) return std::nullopt;
  return one ? Reason{end_of_patience_, one->rank, one->inside} : Reason{end_of_patience_, -1};
}

/// While gathering, one that is behind, or that could not stop at its last call.
std::optional<Reason> CutAgent::late() const {
  std::vector<cut::Membership> memberships;
  for (const int rank : ranks_) {
    const cut::RankView seen = view(rank, memberships);
    const auto kept_by = static_cast<std::uint8_t>(page_->layout_->table(rank).kept_by.load());
    const bool behind = cut::behind(seen.memberships);
    const bool here = word_.phase() == CutPhase::closing ? seen.stopped : !behind && kept_by == 0;
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
      const std::uint64_t id = row.id.load();
      row.target.store(detail::target_word(id, verdict.target(id)));
    }
    table.needed.store(verdict.needs(rank) ? 1 : 0);
  }
  set_word(verdict.word);
}

void CutAgent::set_word(cut::Word word) {
  auto& layout = *page_->layout_;
  word_ = word;
  layout.cut.store(word.bits());
  if (word.phase() == CutPhase::cancelled || word.phase() == CutPhase::idle)
    layout.bell.fetch_and(~static_cast<std::uint32_t>(Bell::cut));
  layout.cut_changes.fetch_add(1);
  syscall(SYS_futex, &layout.cut_changes, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void CutAgent::cancel(Reason why) {
  if (why.rank >= 0) {
    if (!give_up_) give_up_ = why;
  } else {
    patience_ = Allowance({});
    end_of_patience_ = why.status;
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
  const cut::Word turn(CutPhase::closing, word_.epoch(), word_.turn());
  std::ranges::copy_if(ranks_, std::back_inserter(late),
                       [&](int rank) { return page_->layout_->table(rank).mark.load() != turn.bits(); });
  return late;
}

}  // namespace cppc::negotiation
