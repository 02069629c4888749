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

/// When the timeout has passed, an agent whose ranks have all joined gives the others this long to say which ranks have
/// not.
constexpr auto courtesy = 500ms;

/// How much longer a rank at its bound still believes that its agent will answer.
constexpr auto answer_limit = 10s;

}  // namespace

AgentSide::AgentSide(Page& page, Tree& tree)
    : page_(&page), tree_(&tree), epoch_(page.layout_->epoch.load()), last_words_(tree.children().size()) {}

tl::expected<void, cppc_status> AgentSide::start(std::uint64_t epoch, Clock::duration timeout, std::vector<int> ranks) {
  auto& layout = *page_->layout_;
  const auto in_page = [&](int rank) { return rank >= 0 && rank < layout.app_ranks; };
  if (epoch <= epoch_ || !std::all_of(ranks.begin(), ranks.end(), in_page)) return tl::unexpected(CPPC_ERR_ARGUMENT);
  const Word before = page_->word();
  const auto opened = next(before, {Event::Kind::open, static_cast<std::uint16_t>(epoch)});
  if (!opened || before.phase() == Phase::decided) return tl::unexpected(CPPC_ERR_STATE);

  std::ranges::fill(last_words_, Word());
  epoch_ = epoch;
  budget_ = TimeBudget(timeout);
  ranks_ = std::move(ranks);
  view_ = AgentView{};
  view_.epoch = static_cast<std::uint16_t>(epoch);
  state_ = State::collecting;

  layout.epoch.store(epoch);
  layout.answer_within.store(std::chrono::nanoseconds(timeout + answer_limit).count());
  layout.word.store(opened->bits());
  layout.doorbell.fetch_or(static_cast<std::uint32_t>(Doorbell::negotiate));
  return {};
}

tl::expected<AgentSide::State, cppc_status> AgentSide::poll() {
  if (state_ != State::collecting && state_ != State::reported && state_ != State::settling) return state_;
  for (;;) {
    observe();
    auto taken = receive();
    const AgentMove move = agent_move(view_);
    if (taken && (move.kind == AgentMove::Kind::done || move.kind == AgentMove::Kind::look)) {
      update_state(move.kind == AgentMove::Kind::done);
      return state_;
    }
    if (taken) taken = apply(move);
    if (!taken) {
      let_go(taken.error());
      return tl::unexpected(taken.error());
    }
  }
}

/// Without the others nothing can be agreed on; ranks at the bound must not pay for it.
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
  const auto one = late();
  if (!budget_.spent(one ? 0ms : courtesy)) return std::nullopt;
  return one ? *one : Reason{CPPC_ERR_TIMEOUT, -1};
}

/// What the neighbours say, to their last words: what comes after these is for the next negotiation.
tl::expected<void, cppc_status> AgentSide::receive() {
  view_.below = {};
  for (std::size_t i = 0; i < last_words_.size(); ++i) {
    Word& last = last_words_[i];
    while (last.phase() != Phase::settled) {
      const auto word = next_word(tree_->children()[i]);
      if (!word) return tl::unexpected(word.error());
      if (!*word) break;
      last = **word;
    }
    view_.below.add(last);
  }
  while (tree_->parent() >= 0 && !is_outcome(view_.above)) {
    const auto word = next_word(tree_->parent());
    if (!word) return tl::unexpected(word.error());
    if (!*word) break;
    view_.above = **word;
  }
  return {};
}

tl::expected<std::optional<Word>, cppc_status> AgentSide::next_word(int from) {
  const auto words = tree_->receive(from);
  if (!words) return tl::unexpected(words.error());
  if (!*words) return std::nullopt;
  const Word word((*words)->empty() ? 0 : (*words)->front());
  if ((*words)->size() == 1 && word.epoch() == view_.epoch) return word;
  spdlog::error("agent {} is not in negotiation {}", from, epoch_);
  return tl::unexpected(CPPC_ERR_MISMATCH);
}

tl::expected<void, cppc_status> AgentSide::apply(const AgentMove& move) {
  if (move.kind == AgentMove::Kind::swap_page) {
    swap_page(move.to);
    return {};
  }
  if (move.kind == AgentMove::Kind::send_down) {
    view_.sent_down = move.to;
    for (const int child : tree_->children())
      if (auto sent = tree_->send(child, {move.to.bits()}); !sent) return sent;
    return {};
  }
  view_.sent_up = move.to;
  if (tree_->parent() >= 0) return tree_->send(tree_->parent(), {move.to.bits()});
  view_.above = answer(move.to, view_.above);
  return {};
}

void AgentSide::swap_page(Word to) {
  auto& layout = *page_->layout_;
  std::uint64_t expected = view_.page.bits();
  if (!layout.word.compare_exchange_strong(expected, to.bits())) return;  // a rank was faster; the next look shows it
  if (to.phase() == Phase::cancelled || to.phase() == Phase::idle) {
    layout.doorbell.fetch_and(~static_cast<std::uint32_t>(Doorbell::negotiate));
  }
  layout.changes.fetch_add(1);
  syscall(SYS_futex, &layout.changes, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void AgentSide::update_state(bool done) {
  if (!is_outcome(view_.page))
    state_ = view_.all_joined ? State::reported : State::collecting;
  else if (!done)
    state_ = State::settling;
  else
    state_ = view_.page.phase() == Phase::decided ? State::decided : State::cancelled;
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

std::optional<Reason> AgentSide::late() const {
  const auto ranks = missing();
  return ranks.empty() ? std::nullopt : std::optional(Reason{CPPC_ERR_TIMEOUT, ranks.front()});
}

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
