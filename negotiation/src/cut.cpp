#include "cppc/cut.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace cppc::negotiation::cut {
namespace {

constexpr unsigned most_stable_rounds = 1U << 12;

/// Puts together what is said of the same communicator.
std::vector<Standing> merge(std::vector<Standing> all) {
  std::ranges::sort(all, {}, &Standing::id);
  std::vector<Standing> merged;
  for (const Standing& one : all) {
    if (merged.empty() || merged.back().id != one.id) {
      merged.push_back(one);
      continue;
    }
    Standing& sum = merged.back();
    sum.holders += one.holders;
    if (one.most > sum.most) sum.at_most = 0;
    sum.most = std::max(sum.most, one.most);
    if (one.most == sum.most) sum.at_most += one.at_most;
  }
  return merged;
}

std::vector<Withdrawable> merge(std::vector<Withdrawable> all) {
  const auto place = [](const Withdrawable& one) { return std::pair(one.withdrawal.id, one.withdrawal.number); };
  std::ranges::sort(all, {}, place);
  std::vector<Withdrawable> merged;
  for (const Withdrawable& one : all) {
    if (merged.empty() || place(merged.back()) != place(one)) {
      merged.push_back(one);
      continue;
    }
    Withdrawable& sum = merged.back();
    if (sum.inside == 0) sum.withdrawal.operation = one.withdrawal.operation;
    sum.alike = sum.alike && one.alike && (one.inside == 0 || one.withdrawal == sum.withdrawal);
    sum.inside += one.inside;
    sum.outside += one.outside;
  }
  return merged;
}

/// A rank is inside of one operation, or has stopped before the next one of each communicator.
void add_withdrawables(std::vector<Withdrawable>& all, const RankView& rank) {
  if (rank.stopped) {
    for (const Membership& one : rank.memberships)
      all.push_back({.withdrawal = {.id = one.id, .number = one.begun + 1}, .outside = 1});
  } else if (rank.within.operation.what != 0) {
    all.push_back({.withdrawal = rank.within, .inside = 1});
  }
}

}  // namespace

Report report(std::span<const RankView> ranks, Phase phase) {
  Report made;
  for (const RankView& rank : ranks) {
    for (const Membership& one : rank.memberships)
      made.standings.push_back({.id = one.id, .most = one.begun, .size = one.size, .holders = 1, .at_most = 1});
    const bool presses = rank.inside || behind(rank.memberships);
    if (rank.waits_for != nobody) made.waits.push_back({rank.rank, rank.waits_for, presses});
    if (!rank.stopped) ++made.moving;
    if (!rank.stopped && rank.inside) ++made.uninterruptible;
    made.unacknowledged += rank.unacknowledged;
    if (phase == Phase::withdrawing) add_withdrawables(made.withdrawables, rank);
  }
  made.standings = merge(std::move(made.standings));
  made.withdrawables = merge(std::move(made.withdrawables));
  return made;
}

void add(Report& sum, const Report& more) {
  sum.standings.insert(sum.standings.end(), more.standings.begin(), more.standings.end());
  sum.standings = merge(std::move(sum.standings));
  sum.withdrawables.insert(sum.withdrawables.end(), more.withdrawables.begin(), more.withdrawables.end());
  sum.withdrawables = merge(std::move(sum.withdrawables));
  sum.waits.insert(sum.waits.end(), more.waits.begin(), more.waits.end());
  sum.moving += more.moving;
  sum.uninterruptible += more.uninterruptible;
  sum.unacknowledged += more.unacknowledged;
  if (!sum.give_up || (sum.give_up->rank < 0 && more.give_up)) sum.give_up = more.give_up;  // one that names a rank
}

std::uint64_t Verdict::target(std::uint64_t id) const {
  const auto found = std::ranges::lower_bound(targets, id, {}, &std::pair<std::uint64_t, std::uint64_t>::first);
  return found != targets.end() && found->first == id ? found->second : 0;
}

bool Verdict::needs(int rank) const { return all_needed || std::ranges::binary_search(needed, rank); }

Arbiter::Arbiter(std::uint16_t epoch, unsigned stable_rounds, unsigned withdrawal_rounds,
                 unsigned most_withdrawal_rounds)
    : memory_{.stable_rounds = stable_rounds, .withdrawal_rounds = withdrawal_rounds},
      first_withdrawal_rounds_(withdrawal_rounds),
      most_withdrawal_rounds_(most_withdrawal_rounds) {
  verdict_.word = Word(Phase::gathering, epoch, 1);
}

const Verdict& Arbiter::evaluate(std::span<const Report> reports) {
  Report all;
  for (const Report& one : reports) add(all, one);
  if (all.give_up && verdict_.withdrawals.empty()) {
    verdict_ = {.word = Word(Phase::cancelled, verdict_.word.epoch(), encode(*all.give_up))};
    return verdict_;
  }
  note_change(std::move(all.standings));
  set_targets();
  set_needed(all.waits);
  withdraw(all.withdrawables, all.unacknowledged == 0);
  if (verdict_.withdrawals.empty()) set_phase(all.moving, all.uninterruptible);
  return verdict_;
}

void Arbiter::note_change(std::vector<Standing> standings) {
  if (standings == memory_.standings) {
    memory_.unchanged = std::min(memory_.unchanged + 1, std::max(most_stable_rounds, most_withdrawal_rounds_));
    return;
  }
  if (memory_.waited_long) double_stable_rounds();
  memory_.unchanged = 0;
  memory_.standings = std::move(standings);
}

void Arbiter::double_stable_rounds() {
  memory_.waited_long = false;
  memory_.stable_rounds = std::min(memory_.stable_rounds * 2, most_stable_rounds);
}

void Arbiter::double_withdrawal_rounds() {
  memory_.withdrawal_rounds = std::min(memory_.withdrawal_rounds * 2, most_withdrawal_rounds_);
}

bool Arbiter::even() const { return std::ranges::all_of(memory_.standings, &Standing::even); }

bool Arbiter::whole() const { return std::ranges::all_of(memory_.standings, &Standing::whole); }

/// A member may be missing since it has not come out of the call that makes the communicator: that would have shown in
/// the round before.
void Arbiter::set_targets() {
  const bool freed = memory_.unchanged > 0 && even();
  verdict_.targets.clear();
  for (const Standing& one : memory_.standings)
    verdict_.targets.emplace_back(one.id, one.most + (freed && !one.whole() ? 1 : 0));
}

void Arbiter::set_needed(std::span<const Wait> waits) {
  verdict_.needed.clear();
  verdict_.all_needed = false;
  std::multimap<int, int> waits_for;
  std::vector<int> pressing;
  for (const Wait& wait : waits) {
    waits_for.emplace(wait.rank, wait.whom);
    if (wait.presses) pressing.push_back(wait.rank);
  }
  while (!pressing.empty()) {
    const auto [begin, end] = waits_for.equal_range(pressing.back());
    pressing.pop_back();
    for (auto wait = begin; wait != end; ++wait) {
      const int whom = wait->second;
      if (whom == anybody) {
        verdict_.all_needed = is_stable();
        memory_.waited_long = memory_.waited_long || is_stable();
      } else if (const auto place = std::ranges::lower_bound(verdict_.needed, whom);
                 place == verdict_.needed.end() || *place != whom) {
        verdict_.needed.insert(place, whom);
        pressing.push_back(whom);
      }
    }
  }
}

/// Announces what can be withdrawn, and in the next round has those outside take part, until all have acknowledged it.
void Arbiter::withdraw(std::span<const Withdrawable> found, bool all_acknowledged) {
  if (!verdict_.withdrawals.empty()) {
    verdict_.take_part = !all_acknowledged;
    if (!all_acknowledged) return;
    verdict_.withdrawals.clear();
  }
  for (const Withdrawable& one : found) {
    if (!can_be_withdrawn(one)) continue;
    verdict_.withdrawals.push_back(one.withdrawal);
    memory_.withdrawn.emplace_back(one.withdrawal.id, one.withdrawal.number);
  }
  if (!verdict_.withdrawals.empty()) ++verdict_.announcement;
}

/// Not twice: its members would have begun it again because they cannot be stopped where they are.
bool Arbiter::can_be_withdrawn(const Withdrawable& one) const {
  const std::pair which(one.withdrawal.id, one.withdrawal.number);
  if (std::ranges::find(memory_.withdrawn, which) != memory_.withdrawn.end()) return false;
  const auto of = std::ranges::lower_bound(memory_.standings, one.withdrawal.id, {}, &Standing::id);
  return of != memory_.standings.end() && of->id == one.withdrawal.id && one.alike && one.inside > 0 &&
         one.outside > 0 && of->most == one.withdrawal.number && of->at_most == one.inside &&
         one.inside + one.outside == of->size;
}

void Arbiter::set_phase(std::uint32_t moving, std::uint32_t uninterruptible) {
  const bool level = even() && whole();
  const Phase phase = verdict_.word.phase();
  if (phase == Phase::gathering) {
    if (level && (uninterruptible == 0 || memory_.unchanged >= first_withdrawal_rounds_)) {
      turn(Phase::closing);
      memory_.despite_uninterruptible = uninterruptible > 0;
    } else if (!level && memory_.unchanged >= memory_.withdrawal_rounds) {
      turn(Phase::withdrawing);
    }
  } else if (phase == Phase::closing && !level) {
    turn(Phase::gathering);
  } else if (level && moving == 0) {
    verdict_.word = Word(Phase::decided, verdict_.word.epoch(), verdict_.word.turn());
  } else if (phase == Phase::withdrawing && memory_.unchanged >= first_withdrawal_rounds_) {
    double_withdrawal_rounds();
    turn(Phase::gathering);
  } else if (phase == Phase::closing && moving == uninterruptible && memory_.despite_uninterruptible) {
    if (memory_.unchanged >= first_withdrawal_rounds_) turn(Phase::gathering);
  } else if (phase == Phase::closing && moving == uninterruptible && is_stable()) {
    double_stable_rounds();
    turn(Phase::gathering);
  }
}

void Arbiter::turn(Phase phase) {
  verdict_.word = Word(phase, verdict_.word.epoch(), verdict_.word.turn() + 1);
  memory_.unchanged = 0;
  memory_.despite_uninterruptible = false;
  memory_.withdrawn.clear();
  if (phase == Phase::gathering) return;
  verdict_.needed.clear();
  verdict_.all_needed = false;
}

}  // namespace cppc::negotiation::cut
