#include <linux/futex.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>

#include "cppc/cut.hpp"
#include "cppc/page.hpp"
#include "layout.hpp"

extern "C" {  // which glibc 2.36 leaves out
#include <sys/pidfd.h>
}

namespace cppc::negotiation {
namespace {

using detail::Slot;

/// How often a waiting rank looks whether its agent lives; the answer itself wakes it.
constexpr long check_every_ns = 100'000'000;

const char* explain(cppc_status why) {
  switch (why) {
    case CPPC_ERR_PEER:
      return "its agent has died";
    case CPPC_ERR_TIMEOUT:
      return "its agent does not answer";
    case CPPC_ERR_MISMATCH:
      return "it has passed the migration point; do all ranks pass the same safe points?";
    default:
      return "its agent did not count on it, or it has passed too many safe points to count";
  }
}

}  // namespace

tl::expected<RankSide, cppc_status> RankSide::attach(Page page, int rank) {
  if (rank < 0 || rank >= page.app_ranks()) return tl::unexpected(CPPC_ERR_ARGUMENT);
  RankSide side(std::move(page), rank);
  if (!side.watch_agent()) {
    spdlog::error("rank {}: cannot watch its agent, process {}: {}", rank, side.page().agent(), std::strerror(errno));
    return tl::unexpected(CPPC_ERR_SYSTEM);
  }
  auto& layout = *side.page_.layout_;
  Slot& slot = layout.slot(rank);
  // Nothing that the process said which was this rank here before holds for this one.
  const bool listed = (slot.flags.exchange(Slot::listed) & Slot::listed) != 0;
  for (auto* left_over : {&slot.bytes, &slot.announced, &slot.joined, &slot.stopped, &slot.refused, &slot.passed}) {
    left_over->store(0);
  }
  detail::CutTable& table = layout.table(rank);
  table.mark.store(0);
  table.inside.store(0);
  table.kept_by.store(0);
  table.waits_for.store(cut::nobody);
  for (std::uint32_t i = std::min(table.end.exchange(0), detail::CutTable::capacity); i-- > 0;)
    table.rows[i].size.store(0);
  slot.pid.store(getpid());
  if (!listed) layout.list(layout.listed.fetch_add(1)).store(rank + 1);
  return side;
}

RankSide::~RankSide() {
  if (page_.layout_ && (page_.layout_->slot(rank_).flags.load() & Slot::finishing) == 0) detach();
}

void RankSide::detach() { page_.layout_->slot(rank_).pid.store(0); }

/// False when its process has ended.
bool RankSide::watch_agent() const {
  const pid_t now = page_.agent();
  if (now == watched_) return true;
  UniqueFd agent(pidfd_open(now, 0));
  if (agent.get() < 0) return false;
  agent_ = std::move(agent);
  watched_ = now;
  return true;
}

bool RankSide::agent_gone() const {
  if (!watch_agent()) return true;
  pollfd agent{agent_.get(), POLLIN, 0};
  return ::poll(&agent, 1, 0) > 0;
}

bool RankSide::survey_wanted() const {
  const auto& layout = *page_.layout_;
  return (layout.doorbell.load() & static_cast<std::uint32_t>(Doorbell::survey)) != 0 &&
         page_.layout_->slot(rank_).announced.load() != layout.survey.load();
}

void RankSide::announce(std::uint64_t bytes) {
  Slot& slot = page_.layout_->slot(rank_);
  const std::uint64_t survey = page_.layout_->survey.load();
  slot.bytes.store(bytes);
  slot.announced.store(survey);
}

Decision RankSide::reached(std::uint64_t passed, unsigned site) {
  auto& layout = *page_.layout_;
  Slot& slot = layout.slot(rank_);
  const auto sign = [&](detail::Shared<std::uint64_t>& epoch_mark, std::uint64_t epoch) {
    slot.passed.store(passed, std::memory_order_relaxed);
    slot.site.store(site, std::memory_order_relaxed);
    epoch_mark.store(epoch);
  };
  std::optional<TimeBudget> budget;
  for (;;) {
    const Word word(layout.word.load());
    if (word.phase() == Phase::idle || word.phase() == Phase::cancelled) return Decision::go_on;
    const std::uint64_t epoch = layout.epoch.load();
    if (static_cast<std::uint16_t>(epoch) != word.epoch()) continue;  // of an earlier negotiation: it has changed since
    if (slot.refused.load(std::memory_order_relaxed) == epoch) return Decision::go_on;
    const RankMove move = rank_move(word, slot.joined.load(std::memory_order_relaxed) == epoch, passed);
    switch (move.kind) {
      case RankMove::Kind::go_on:
        return Decision::go_on;
      case RankMove::Kind::stop:
        sign(slot.stopped, epoch);
        return Decision::stop;
      case RankMove::Kind::join:
        sign(slot.joined, epoch);
        return Decision::go_on;
      case RankMove::Kind::swap: {
        std::uint64_t expected = word.bits();
        layout.word.compare_exchange_strong(expected, move.to.bits());
        break;
      }
      case RankMove::Kind::wait:
        if (!budget) budget.emplace(std::chrono::nanoseconds(layout.answer_within.load()));
        if (const auto why = await_answer(word, *budget)) return refuse(epoch, *why);
        break;
      case RankMove::Kind::refuse:
        return refuse(epoch, move.why);
    }
  }
}

/// Returns when the page may have changed, or why waiting is in vain.
std::optional<cppc_status> RankSide::await_answer(Word seen, TimeBudget& budget) {
  auto& layout = *page_.layout_;
  if (agent_gone()) return CPPC_ERR_PEER;
  if (budget.spent()) return CPPC_ERR_TIMEOUT;
  const std::uint32_t changes = layout.changes.load();
  if (layout.word.load() != seen.bits()) return std::nullopt;
  const timespec moment{0, check_every_ns};
  // However it returns (woken, changed before, time over, signal), the caller looks again.
  syscall(SYS_futex, &layout.changes, FUTEX_WAIT, changes, &moment, nullptr, 0);
  return std::nullopt;
}

Decision RankSide::refuse(std::uint64_t epoch, cppc_status why) {
  Slot& slot = page_.layout_->slot(rank_);
  slot.refusal.store(why);
  slot.refused.store(epoch);
  // Of an agent that is gone others have told.
  const bool known = agent_gone();
  spdlog::log(known ? spdlog::level::info : spdlog::level::err,
              "rank {} cannot take part in negotiation {}, and goes on: {}", rank_, epoch,
              explain(known ? CPPC_ERR_PEER : why));
  return Decision::refused;
}

void RankSide::finishing() { page_.layout_->slot(rank_).flags.fetch_or(Slot::finishing); }

void RankSide::finished() { page_.layout_->slot(rank_).flags.fetch_or(Slot::finished); }

}  // namespace cppc::negotiation
