/// The images travel, rank to rank over the fabric; the agents only introduce the two to each other.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <thread>

#include "cppc/deadlines.hpp"
#include "operation.hpp"

namespace cppc::migration {

using namespace std::chrono_literals;

namespace {

constexpr int kOutcome = 3;  // between the agents of leaver and newcomer: the status with which its side ended

bool waiting(MPI_Comm comm, int from, int tag) {
  int there = 0;
  PMPI_Iprobe(from, tag, comm, &there, MPI_STATUS_IGNORE);
  return there != 0;
}

}  // namespace

void Operation::ship() {
  announce("ship");
  for (const Passage& newcomer : newcomers_)
    node_.desk.slot(newcomer.rank).stage.set(static_cast<std::uint32_t>(Stage::expected));
  node_.desk.command(Action::ship);
  Allowance patience(deadlines::ship());
  const auto done = [](const Passage& one) { return one.done; };
  while (!std::all_of(leavers_.begin(), leavers_.end(), done) ||
         !std::all_of(newcomers_.begin(), newcomers_.end(), done)) {
    for (Passage& leaver : leavers_)
      if (!leaver.done) advance_leaver(leaver);
    for (Passage& newcomer : newcomers_)
      if (!newcomer.done) advance_newcomer(newcomer);
    if (patience.spent()) return fail(CPPC_ERR_TIMEOUT, "an image has not arrived in time");
    if (!leavers_.empty() && Clock::now() - reported_ > 100ms) report_bytes();
    std::this_thread::sleep_for(50us);
  }
  for (const Passage& leaver : leavers_) outcome_.image_bytes += node_.desk.slot(leaver.rank).image_bytes.load();
  if (!leavers_.empty()) report_bytes();
}

/// A newcomer's agent says only what has gone wrong: the leaver then need not go on sending.
void Operation::advance_leaver(Passage& leaver) {
  Slot& slot = node_.desk.slot(leaver.rank);
  const int other = node_.seat(leaver.other);
  if (!leaver.told && waiting(node_.crew.own, other, tag(leaver, kOutcome))) {
    PMPI_Recv(nullptr, 0, MPI_BYTE, other, tag(leaver, kOutcome), node_.crew.own, MPI_STATUS_IGNORE);
    leaver.told = true;
    slot.dismissed.set(1);
  }
  const auto stage = static_cast<Stage>(slot.stage.get());
  if (stage != Stage::shipped && stage != Stage::failed) return;
  const int status = stage == Stage::shipped ? CPPC_OK : slot.status.load();
  PMPI_Send(&status, 1, MPI_INT, other, tag(leaver, kOutcome), node_.crew.own);
  if (stage == Stage::failed && !leaver.told)
    fail(slot.status, fmt::format("rank {} on {} cannot send its image: {}", leaver.rank, node_.name, why(slot)));
  leaver.done = true;
}

void Operation::advance_newcomer(Passage& newcomer) {
  const Slot& slot = node_.desk.slot(newcomer.rank);
  const int other = node_.seat(newcomer.other);
  const auto stage = static_cast<Stage>(slot.stage.get());
  const bool failed = cannot_take_over(newcomer) || lost(newcomer);
  if (failed && !newcomer.cried) {
    PMPI_Send(nullptr, 0, MPI_BYTE, other, tag(newcomer, kOutcome), node_.crew.own);
    newcomer.cried = true;
  }
  if (!newcomer.told && waiting(node_.crew.own, other, tag(newcomer, kOutcome))) {
    int status = CPPC_OK;
    PMPI_Recv(&status, 1, MPI_INT, other, tag(newcomer, kOutcome), node_.crew.own, MPI_STATUS_IGNORE);
    newcomer.told = true;
    newcomer.done = status != CPPC_OK;  // the leaver's agent has said why
  }
  newcomer.done |= stage == Stage::failed || (stage == Stage::restored && newcomer.told);
}

}  // namespace cppc::migration
