#include <linux/futex.h>
#include <spdlog/spdlog.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <iterator>
#include <utility>

#include "cppc/negotiation.hpp"
#include "layout.hpp"

namespace cppc::negotiation {
namespace {

using namespace std::chrono_literals;

/// When patience ends, an agent whose ranks have all joined gives the others this long to say which ranks have not.
constexpr auto courtesy = 500ms;

/// How much longer a rank at its ceiling still believes that its agent will answer.
constexpr auto answer_limit = 10s;

/// How long the leader stays with agents that do not take note of the outcome.
constexpr auto settle_limit = 10s;

/// Marks on the board; they only rise.
constexpr std::uint64_t reported_mark(std::uint64_t epoch) { return 2 * epoch; }
constexpr std::uint64_t acknowledged_mark(std::uint64_t epoch) { return 2 * epoch + 1; }

}  // namespace

AgentSide::AgentSide(Page& page, Board& board) : page_(&page), board_(&board), epoch_(page.layout_->epoch.load()) {}

tl::expected<void, cppc_status> AgentSide::start(std::uint64_t epoch, Clock::duration patience,
                                                 std::vector<int> ranks) {
  auto& layout = *page_->layout_;
  const auto in_page = [&](int rank) { return rank >= 0 && rank < layout.app_ranks; };
  if (epoch <= epoch_ || !std::all_of(ranks.begin(), ranks.end(), in_page)) return tl::unexpected(CPPC_ERR_ARGUMENT);
  const Word before = page_->word();
  const auto opened = next(before, {Event::Kind::open, static_cast<std::uint16_t>(epoch)});
  if (!opened || before.phase() == Phase::decided) return tl::unexpected(CPPC_ERR_STATE);

  epoch_ = epoch;
  patience_ = Allowance(patience);
  ranks_ = std::move(ranks);
  view_ = AgentView{};
  view_.epoch = static_cast<std::uint16_t>(epoch);
  view_.leader = board_->self() == 0;
  state_ = State::collecting;

  layout.epoch.store(epoch);
  layout.answer_within.store(std::chrono::nanoseconds(patience + answer_limit).count());
  layout.word.store(opened->bits());
  layout.bell.fetch_or(static_cast<std::uint32_t>(Bell::negotiate));
  return {};
}

tl::expected<AgentSide::State, cppc_status> AgentSide::poll() {
  if (state_ != State::collecting && state_ != State::reported && state_ != State::settling) return state_;
  bool looked = false;  // since the last step
  for (;;) {
    observe();
    const AgentMove move = agent_move(view_);
    if (move.kind == AgentMove::Kind::done || (move.kind == AgentMove::Kind::look && looked)) {
      update_state(move.kind == AgentMove::Kind::done);
      return state_;
    }
    looked = move.kind == AgentMove::Kind::look;
    if (const auto taken = looked ? look() : apply(move); !taken) {
      let_go(taken.error());
      return tl::unexpected(taken.error());
    }
  }
}

/// Without the board nothing can be agreed on; ranks at the ceiling must not pay for it.
void AgentSide::let_go(cppc_status why) {
  for (;;) {
    view_.page = page_->word();
    const auto cancelled = next(view_.page, {Event::Kind::cancel, view_.epoch, encode({why, -1})});
    if (!cancelled) break;
    swap_page(*cancelled);
  }
  state_ = view_.page.phase() == Phase::decided ? State::decided : State::cancelled;
}

void AgentSide::observe() {
  view_.all_joined = missing().empty();
  view_.page = page_->word();
  if (!view_.give_up) view_.give_up = grounds_to_give_up();
}

std::optional<Reason> AgentSide::grounds_to_give_up() {
  for (const int rank : ranks_) {
    const RankRecord record = page_->record(rank);
    if (record.finishing) return Reason{CPPC_ERR_REFUSED, rank};
    if (record.refused == epoch_) return Reason{record.refusal, rank};
  }
  const auto late = missing();
  if (!patience_.spent(late.empty() ? courtesy : 0ms)) return std::nullopt;
  return Reason{CPPC_ERR_TIMEOUT, late.empty() ? -1 : late.front()};
}

tl::expected<void, cppc_status> AgentSide::look() {
  const auto seen = board_->read();
  if (!seen) return tl::unexpected(seen.error());
  view_.board = *seen;
  if (!view_.leader) return {};
  const auto lowest = board_->lowest_mark();
  if (!lowest) return tl::unexpected(lowest.error());
  view_.all_reported = *lowest >= reported_mark(epoch_);
  view_.all_acknowledged = *lowest >= acknowledged_mark(epoch_);
  return {};
}

tl::expected<void, cppc_status> AgentSide::apply(const AgentMove& move) {
  if (move.kind == AgentMove::Kind::swap_page) {
    swap_page(move.to);
    return {};
  }
  if (move.kind == AgentMove::Kind::swap_board) {
    const auto seen = board_->compare_and_swap(view_.board, move.to);
    if (!seen) return tl::unexpected(seen.error());
    view_.board = *seen == view_.board ? move.to : *seen;
    return {};
  }
  const bool report = move.kind == AgentMove::Kind::report;
  const auto marked = board_->mark(report ? reported_mark(epoch_) : acknowledged_mark(epoch_));
  if (marked) (report ? view_.reported : view_.acknowledged) = true;
  return marked;
}

void AgentSide::swap_page(Word to) {
  auto& layout = *page_->layout_;
  std::uint64_t expected = view_.page.bits();
  if (!layout.word.compare_exchange_strong(expected, to.bits())) return;  // a rank was faster; the next look shows it
  if (to.phase() == Phase::fixed) {
    const auto now = Clock::now();
    if (view_.page.phase() == Phase::asked) view_.step = next_step(view_.step, now - lifted_);
    lifted_ = now;
  }
  if (to.phase() == Phase::cancelled || to.phase() == Phase::idle) {
    layout.bell.fetch_and(~static_cast<std::uint32_t>(Bell::negotiate));
  }
  layout.changes.fetch_add(1);
  syscall(SYS_futex, &layout.changes, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void AgentSide::update_state(bool done) {
  const Phase phase = view_.page.phase();
  if (phase != Phase::decided && phase != Phase::cancelled) {
    state_ = phase == Phase::open ? State::collecting : State::reported;
    return;
  }
  if (state_ != State::settling) settling_ = Allowance(settle_limit);
  if (!done && settling_.spent()) {
    spdlog::error("negotiation {}: some agent does not take note of its outcome", epoch_);
    done = true;
  }
  const State outcome = phase == Phase::decided ? State::decided : State::cancelled;
  state_ = done ? outcome : State::settling;
}

bool AgentSide::cancel(Reason why) {
  if (state_ != State::collecting && state_ != State::reported) return false;
  if (!view_.give_up) view_.give_up = why;
  return true;
}

tl::expected<void, cppc_status> AgentSide::conclude() {
  view_.page = page_->word();
  const auto idle = next(view_.page, {Event::Kind::conclude, view_.epoch});
  if (!idle) return tl::unexpected(CPPC_ERR_STATE);
  swap_page(*idle);
  state_ = State::idle;
  return {};
}

std::uint64_t AgentSide::migration_point() const { return page_->word().maximum(); }

Reason AgentSide::reason() const { return page_->word().reason(); }

std::vector<int> AgentSide::missing() const {
  std::vector<int> late;
  std::copy_if(ranks_.begin(), ranks_.end(), std::back_inserter(late),
               [&](int rank) { return page_->record(rank).joined != epoch_; });
  return late;
}

std::vector<int> AgentSide::on_the_way() const {
  std::vector<int> late;
  std::copy_if(ranks_.begin(), ranks_.end(), std::back_inserter(late),
               [&](int rank) { return page_->record(rank).stopped != epoch_; });
  return late;
}

}  // namespace cppc::negotiation
