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

constexpr int kOutcome = 3;  // between the agents of source and replacement: how its side ended

/// What the source's agent says.
struct Outcome {
  cppc_status status = CPPC_OK;
  bool unexplained = false;  // the other side may know why
};

/// A replacement that has refused an image says why when its source knows no more than that.
constexpr auto kReasonTimeout = 1s;

}  // namespace

void Operation::ship() {
  announce("ship");
  for (const RankTransfer& replacement : replacements_)
    node_.control.slot(replacement.rank).stage.set(static_cast<std::uint32_t>(Stage::expected));
  node_.control.command(Action::ship);
  TimeBudget budget(deadlines::ship());
  const auto done = [](const RankTransfer& one) { return one.done; };
  while (!std::all_of(sources_.begin(), sources_.end(), done) ||
         !std::all_of(replacements_.begin(), replacements_.end(), done)) {
    for (RankTransfer& source : sources_)
      if (!source.done) advance_source(source);
    for (RankTransfer& replacement : replacements_)
      if (!replacement.done) advance_replacement(replacement);
    if (budget.spent()) return fail(CPPC_ERR_TIMEOUT, "an image has not arrived in time");
    if (cancelled() || given_up()) return;
    if (!sources_.empty() && Clock::now() - reported_ > 100ms) report_bytes();
    std::this_thread::sleep_for(50us);
  }
  for (const RankTransfer& source : sources_)
    outcome_.image_bytes += node_.control.slot(source.rank).image_bytes.load();
  if (!sources_.empty()) report_bytes();
}

/// A replacement's agent says only what has gone wrong: the source then need not go on sending.
void Operation::advance_source(RankTransfer& source) {
  Slot& slot = node_.control.slot(source.rank);
  const int other = node_.index_of(source.other);
  if (!source.outcome_known && comm_.poll(other, tag(source, kOutcome))) {
    source.outcome_known = true;
    slot.dismissed.set(1);
  }
  const auto stage = static_cast<Stage>(slot.stage.get());
  if (stage != Stage::shipped && stage != Stage::failed) return;
  Outcome outcome;
  if (stage == Stage::failed) outcome = {.status = slot.status.load(), .unexplained = has_no_words(slot)};
  if (!comm_.send(other, tag(source, kOutcome), std::as_bytes(std::span(&outcome, 1)))) return;
  if (stage == Stage::failed && !source.outcome_known)
    fail_for(slot, fmt::format("rank {} on {} cannot send its image", source.rank, node_.name));
  source.done = true;
}

void Operation::advance_replacement(RankTransfer& replacement) {
  const Slot& slot = node_.control.slot(replacement.rank);
  const int other = node_.index_of(replacement.other);
  const auto stage = static_cast<Stage>(slot.stage.get());
  const bool failed = cannot_take_over(replacement) || lost(replacement);
  if (failed && !replacement.failure_sent) {
    replacement.failure_sent = comm_.send(other, tag(replacement, kOutcome), {});
  }
  const auto message = replacement.outcome_known ? std::nullopt : comm_.poll(other, tag(replacement, kOutcome));
  if (message) {
    Outcome outcome;
    std::memcpy(&outcome, message->data(), std::min(sizeof outcome, message->size()));
    replacement.outcome_known = true;
    if (outcome.status != CPPC_OK) replacement.given_up = Clock::now() + (outcome.unexplained ? kReasonTimeout : 0s);
  }
  replacement.done |= replacement.given_up && Clock::now() >= *replacement.given_up;
  // One that has died may have had the whole image, so that its source is done as well.
  replacement.done |= stage == Stage::failed || (replacement.outcome_known && (failed || stage == Stage::restored));
}

}  // namespace cppc::migration
