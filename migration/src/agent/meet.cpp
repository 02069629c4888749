/// The middle of a migration: all ranks agree on where to stop, a safe point or a cut between calls of MPI (cut.hpp),
/// and stop there, with no message in flight.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <thread>

#include "agent_tree.hpp"
#include "cppc/cut_rank.hpp"
#include "cppc/deadlines.hpp"
#include "cppc/fault.hpp"
#include "cppc/hooks.h"
#include "operation.hpp"

namespace cppc::migration {

using namespace std::chrono_literals;

namespace {

/// At so many safe points in a row it may just be quiet; at the last one, what is in flight is drained.
constexpr int kTries = 4;

constexpr int kTree = 5;  // messages of the agreements, along the agents' tree

/// How long all ranks may take to come by a safe point, if they can stop elsewhere.
constexpr auto kSoon = 1s;

/// After this time ranks that have come drain: others may wait in a send until somebody takes their message.
constexpr auto kLate = 100ms;

/// A negotiation that takes longer is told for whom it waits, and that so often.
constexpr auto kLong = 2s;
constexpr auto kAgain = 1s;

/// What keeps a rank from coming.
const char* what_keeps(std::uint8_t inside) {
  switch (inside) {
    case 0:
      return "";
    case negotiation::Reason::outside_collective:
      return ": others are in a collective operation that it has not begun";
    case CPPC_INSIDE_CALL:
      return ": it is inside a call of MPI that waits for others";
    case CPPC_INSIDE_CALLBACK:
      return ": it is inside a function that MPI has called, or an exit handler or destructor at the end of the "
             "program";
    case CPPC_INSIDE_EPOCH:
      return ": it is inside an epoch of a window";
    case CPPC_INSIDE_FILE:
      return ": it is inside a split collective access to a file";
    case CPPC_INSIDE_THREAD:
      return ": it is inside a thread that is not the main one";
    case CPPC_INSIDE_REGION:
      return ": it is inside a parallel region of OpenMP";
    case CPPC_BESIDE_THREADS:
      return ": threads that it has started call MPI, too, and have not ended";
    default:
      return ": it is inside something unknown";
  }
}

std::string explain(const negotiation::Reason& reason, const char* place) {
  const std::string who = reason.rank < 0 ? "a rank" : fmt::format("rank {}", reason.rank);
  const char* const inside = what_keeps(reason.inside);
  switch (reason.status) {
    case CPPC_ERR_TIMEOUT:
      return who + " has not come by " + place + " in time" + inside;
    case CPPC_ERR_UNSUPPORTED:
      return fmt::format("{} has more than {} communicators, windows and files", who, negotiation::CutRank::most);
    case CPPC_ERR_REFUSED:
      return who + " has entered MPI_Finalize";
    case CPPC_ERR_CANCELLED:
      return "given up on request" +
             (reason.rank < 0 ? "" : fmt::format(" before {} has come by {}{}", who, place, inside));
    default:
      return fmt::format("{} cannot take part in the negotiation (status {})", who, static_cast<int>(reason.status));
  }
}

constexpr auto lower = [](std::int64_t one, std::int64_t other) { return std::min(one, other); };
constexpr auto higher = [](std::int64_t one, std::int64_t other) { return std::max(one, other); };

const char* place_of(const negotiation::AgentSide&) { return "a safe point"; }
const char* place_of(const negotiation::CutAgent&) { return "a call of MPI at which it can stop"; }

}  // namespace

/// Where all ranks can be stopped.
Operation::Stops Operation::common_stops() {
  std::array<std::int64_t, 2> stops_at{1, 1};
  for (const int rank : node_.local_ranks()) {
    const int stops = node_.control.slot(rank).stops;
    stops_at[0] &= stops != CPPC_AT_MARKS ? 1 : 0;
    stops_at[1] &= stops != CPPC_AT_CALLS ? 1 : 0;
  }
  (void)comm_.allreduce(stops_at, lower);  // the caller looks whether it is broken
  return {stops_at[0] != 0, stops_at[1] != 0};
}

/// At a safe point less state is alive: so there, if all come by one soon.
bool Operation::meet() {
  const auto timeout = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(order_.timeout_s));
  const Stops stops = common_stops();
  if (comm_.broken()) return false;
  AgentTree tree(comm_, tag(0, kTree));
  if (!stops.at_calls || stops.at_marks) {
    const bool met = meet_at_safe_point(tree, stops.at_calls ? std::min<Clock::duration>(timeout, kSoon) : timeout,
                                        stops.at_calls ? kSoon : deadlines::arrive());
    if (met || comm_.broken() || !stops.at_calls || !no_safe_point_in_sight()) return met;
    release();
    if (!agree()) return false;
  }
  negotiation::TreeRounds rounds(tree);
  negotiation::CutAgent cut(node_.page, rounds);
  negotiate(cut, timeout);
  if (!agree()) {
    (void)cut.conclude();  // if it was decided here
    return false;
  }
  freeze(cut);
  return agree();
}

/// Agreed on within `timeout`, and reached within `arrival` then.
bool Operation::meet_at_safe_point(negotiation::Tree& tree, Clock::duration timeout, Clock::duration arrival) {
  negotiation::AgentSide side(node_.page, tree);
  negotiate(side, timeout);
  if (!agree()) {
    (void)side.conclude();  // if it was decided here
    return false;
  }
  freeze(side, arrival);
  return agree();
}

/// Whether there is no better reason for a failure than that ranks come by no safe point, or by different ones: then
/// there is none. All agents say the same.
bool Operation::no_safe_point_in_sight() {
  if (!waited_in_vain(failure_.status)) return false;
  spdlog::debug("{}: migration {}: {}; stopping at any call", node_.name, order_.id, failure_.reason);
  failure_ = {};
  return true;
}

/// Those that have come to a safe point at which the others have not arrived.
void Operation::release() {
  const auto all = [this](Stage stage, const std::vector<int>& ranks) {
    TimeBudget budget(deadlines::arrive());
    for (const int rank : ranks) {
      while (node_.control.slot(rank).stage.get() != static_cast<std::uint32_t>(stage)) {
        if (budget.spent()) return fail(CPPC_ERR_TIMEOUT, fmt::format("rank {} does not work on", rank));
        if (given_up()) return;
        std::this_thread::sleep_for(100us);
      }
    }
  };
  std::this_thread::sleep_for(10ms);  // who has just seen that it is to stop says so
  std::vector<int> stopped;
  for (const int rank : node_.local_ranks())
    if (node_.page.record(rank).stopped == order_.id) stopped.push_back(rank);
  all(Stage::arrived, stopped);
  node_.control.command(Action::release);
  all(Stage::working, stopped);
  node_.control.command(Action::none);
}

void Operation::urge(const negotiation::CutAgent& cut, Interrupter& interrupter) const {
  if (cut.announces()) (void)fault::at(place("withdraw"));
  if (cut.state() != negotiation::CutAgent::State::closing) return;
  std::vector<pid_t> processes;
  for (const int rank : cut.moving()) processes.push_back(node_.page.record(rank).pid);
  interrupter.interrupt(processes);
}

template <class Side>
void Operation::report_late(const Side& side) {
  const Clock::time_point now = Clock::now();
  if (now - negotiating_ < kLong || now - late_reported_ < kAgain) return;
  late_reported_ = now;
  const auto one = side.late();
  std::string reason;
  if (one) reason = fmt::format("rank {} has not yet come by {}{}", one->rank, place_of(side), what_keeps(one->inside));
  if (reason == late_) return;
  late_ = std::move(reason);
  if (!node_.link.send(wire::Late{.id = order_.id, .agent = node_.agent, .reason = late_})) exit_without_aborting_job();
}

template <class Side>
void Operation::negotiate(Side& side, Clock::duration timeout) {
  announce("negotiate");
  negotiating_ = Clock::now();
  if (auto started = side.start(order_.id, timeout, node_.local_ranks()); !started)
    return fail(started.error(), fmt::format("the negotiation cannot begin on {}", node_.name));
  Interrupter interrupter;
  for (bool giving_up = false;;) {
    urge(side, interrupter);
    const auto state = side.poll();
    if (!state) {
      const char* const what = "the agents have lost each other in the negotiation";
      if (!comm_.broken()) comm_.fail(what);
      return fail(state.error(), what);
    }
    if (*state == Side::State::decided) return;
    report_late(side);
    if (*state == Side::State::cancelled) return fail(side.reason().status, explain(side.reason(), place_of(side)));
    poll_controller();
    if (!giving_up && cancelled()) {
      failure_ = {};  // it is cancelled when the negotiation says so: the decision may have come first
      side.cancel({CPPC_ERR_CANCELLED, -1});
      giving_up = true;
    }
    std::this_thread::sleep_for(200us);
  }
}

void Operation::freeze(negotiation::AgentSide& side, Clock::duration arrival) {
  announce("freeze");
  std::uint64_t point = side.migration_point();
  for (int tries = 1;; ++tries, ++point) {
    await_arrivals(point, arrival);
    const bool all_here = agree();
    if (tries == 1) {
      frozen_ = Clock::now();
      side.conclude();
    }
    if (!all_here) return;
    const Traffic found = traffic();
    if (found == Traffic::quiet || found == Traffic::unknown) return;
    if (found == Traffic::disordered)
      return fail(CPPC_ERR_MISMATCH, "the ranks stop at different places of the program, which cannot be migrated");
    if (tries == kTries) return drain();
    node_.control.command(Action::next_point);
  }
}

/// All have stopped, or are about to.
void Operation::freeze(negotiation::CutAgent& cut) {
  announce("freeze");
  await_arrivals(0, deadlines::arrive());
  const bool all_here = agree();
  frozen_ = Clock::now();
  if (auto concluded = cut.conclude(); !concluded) fail(concluded.error(), "the agreement has no end");
  if (all_here) drain();
}

void Operation::drain() {
  node_.control.command(Action::drain);
  TimeBudget budget(deadlines::drain());
  for (auto before = under_way_; traffic() != Traffic::quiet; before = under_way_) {
    if (under_way_ != before) budget = TimeBudget(deadlines::drain());
    if (budget.spent())
      fail(CPPC_ERR_NOT_QUIET,
           "messages or requests are under way that do not come to an end, such as a message that MPI_Mprobe has "
           "matched or a request of a communicator that was freed");
    (void)cancelled();
    if (!agree()) return;
    std::this_thread::sleep_for(200us);
  }
}

/// Until the ranks of all nodes have come, or one of this node will not.
void Operation::await_arrivals(std::uint64_t point, Clock::duration timeout) {
  const auto drain_when_late = [this, began = Clock::now(), drains = false]() mutable {
    if (drains || Clock::now() - began < kLate) return;
    node_.control.command(Action::drain);
    drains = true;
  };
  await_local_arrivals(point, timeout, drain_when_late);
  frozen_ = Clock::now();
  (void)comm_.barrier(drain_when_late);  // what follows is an agreement
}

void Operation::await_local_arrivals(std::uint64_t point, Clock::duration within,
                                     const std::function<void()>& meanwhile) {
  TimeBudget budget(within);
  for (const int rank : node_.local_ranks()) {
    const Slot& slot = node_.control.slot(rank);
    while (slot.stage.get() != static_cast<std::uint32_t>(Stage::arrived) || slot.passed != point) {
      if (node_.page.record(rank).finishing)
        return fail(CPPC_ERR_STATE, fmt::format("rank {} has entered MPI_Finalize", rank));
      if (budget.spent())
        return fail(CPPC_ERR_TIMEOUT, fmt::format("rank {} has not come to the migration point in time", rank));
      if (cancelled() || given_up()) return;
      meanwhile();
      std::this_thread::sleep_for(100us);
    }
  }
}

/// Unknown, and never quiet, when the agents cannot tell each other.
Operation::Traffic Operation::traffic() {
  std::array<std::int64_t, 2> sums{};  // messages in flight, active requests
  constexpr auto none = std::numeric_limits<std::int64_t>::min();
  std::array<std::int64_t, 2> sites{none, none};  // highest, and lowest negated
  for (const int rank : node_.local_ranks()) {
    const Slot& slot = node_.control.slot(rank);
    sums[1] += slot.active;
    sums[0] += slot.sent - slot.received;
    sites[0] = std::max(sites[0], static_cast<std::int64_t>(slot.site));
    sites[1] = std::max(sites[1], -static_cast<std::int64_t>(slot.site));
  }
  if (!comm_.allreduce(sums, std::plus<>()) || !comm_.allreduce(sites, higher)) return Traffic::unknown;
  if (sites[0] != -sites[1]) return Traffic::disordered;
  under_way_ = sums;
  return sums[0] == 0 && sums[1] == 0 ? Traffic::quiet : Traffic::in_flight;
}

}  // namespace cppc::migration
