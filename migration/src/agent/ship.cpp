/// The images travel, rank to rank over the fabric; the agents only introduce the two to each other.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <thread>

#include "cppc/deadlines.hpp"
#include "operation.hpp"

namespace cppc::migration {

using namespace std::chrono_literals;

namespace {

constexpr int kOutcome = 3;  // between the agents of leaver and newcomer: how its side ended

/// What the leaver's agent says.
struct Outcome {
  cppc_status status = CPPC_OK;
  bool unexplained = false;  // the other side may know why
};

/// A newcomer that has refused an image says why when its leaver knows no more than that.
constexpr auto kPatienceWithReason = 1s;

}  // namespace

void Operation::ship() {
  announce("ship");
  for (const RankTransfer& newcomer : newcomers_)
    node_.control.slot(newcomer.rank).stage.set(static_cast<std::uint32_t>(Stage::expected));
  node_.control.command(Action::ship);
  Allowance patience(deadlines::ship());
  const auto done = [](const RankTransfer& one) { return one.done; };
  while (!std::all_of(leavers_.begin(), leavers_.end(), done) ||
         !std::all_of(newcomers_.begin(), newcomers_.end(), done)) {
    for (RankTransfer& leaver : leavers_)
      if (!leaver.done) advance_leaver(leaver);
    for (RankTransfer& newcomer : newcomers_)
      if (!newcomer.done) advance_newcomer(newcomer);
    if (patience.spent()) return fail(CPPC_ERR_TIMEOUT, "an image has not arrived in time");
    if (cancelled() || given_up()) return;
    if (!leavers_.empty() && Clock::now() - reported_ > 100ms) report_bytes();
    std::this_thread::sleep_for(50us);
  }
  for (const RankTransfer& leaver : leavers_)
    outcome_.image_bytes += node_.control.slot(leaver.rank).image_bytes.load();
  if (!leavers_.empty()) report_bytes();
}

/// A newcomer's agent says only what has gone wrong: the leaver then need not go on sending.
void Operation::advance_leaver(RankTransfer& leaver) {
  Slot& slot = node_.control.slot(leaver.rank);
  const int other = node_.seat(leaver.other);
  if (!leaver.told && comm_.poll(other, tag(leaver, kOutcome))) {
    leaver.told = true;
    slot.dismissed.set(1);
  }
  const auto stage = static_cast<Stage>(slot.stage.get());
  if (stage != Stage::shipped && stage != Stage::failed) return;
  Outcome outcome;
  if (stage == Stage::failed) outcome = {.status = slot.status.load(), .unexplained = has_no_words(slot)};
  if (!comm_.send(other, tag(leaver, kOutcome), std::as_bytes(std::span(&outcome, 1)))) return;
  if (stage == Stage::failed && !leaver.told)
    fail_for(slot, fmt::format("rank {} on {} cannot send its image", leaver.rank, node_.name));
  leaver.done = true;
}

void Operation::advance_newcomer(RankTransfer& newcomer) {
  const Slot& slot = node_.control.slot(newcomer.rank);
  const int other = node_.seat(newcomer.other);
  const auto stage = static_cast<Stage>(slot.stage.get());
  const bool failed = cannot_take_over(newcomer) || lost(newcomer);
  if (failed && !newcomer.failure_sent) {
    newcomer.failure_sent = comm_.send(other, tag(newcomer, kOutcome), {});
  }
  const auto told = newcomer.told ? std::nullopt : comm_.poll(other, tag(newcomer, kOutcome));
  if (told) {
    Outcome outcome;
    std::memcpy(&outcome, told->data(), std::min(sizeof outcome, told->size()));
    newcomer.told = true;
    if (outcome.status != CPPC_OK) newcomer.given_up = Clock::now() + (outcome.unexplained ? kPatienceWithReason : 0s);
  }
  newcomer.done |= newcomer.given_up && Clock::now() >= *newcomer.given_up;
  // One that has died may have had the whole image, so that its leaver is done as well.
  newcomer.done |= stage == Stage::failed || (newcomer.told && (failed || stage == Stage::restored));
}

}  // namespace cppc::migration
