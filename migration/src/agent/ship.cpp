/// The images travel, rank to rank over the fabric; the agents only introduce the two to each other.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <thread>

#include "../deadlines.hpp"
#include "operation.hpp"

namespace cppc::migration {

using namespace std::chrono_literals;

namespace {

constexpr int kSize = 1;   // leaver's agent to newcomer's: bytes of the image, 0 if there is none
constexpr int kOffer = 2;  // newcomer's agent to leaver's: where to send it, empty if nowhere

bool waiting(MPI_Comm comm, int from, int tag) {
  int there = 0;
  MPI_Iprobe(from, tag, comm, &there, MPI_STATUS_IGNORE);
  return there != 0;
}

}  // namespace

void Operation::ship() {
  announce("ship");
  node_.desk.command(Action::ship);
  Allowance patience(deadlines::build + deadlines::ship);
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
  for (const Passage& leaver : leavers_) outcome_.image_bytes += node_.desk.slot(leaver.rank).image_bytes;
  if (!leavers_.empty()) report_bytes();
}

void Operation::advance_leaver(Passage& leaver) {
  Slot& slot = node_.desk.slot(leaver.rank);
  const int other = node_.seat(leaver.other);
  const auto stage = static_cast<Stage>(slot.stage.get());
  const bool announced = leaver.seen != Stage::working;
  if (!announced && (stage == Stage::packed || stage == Stage::failed)) {
    const std::uint64_t bytes = stage == Stage::packed ? slot.image_bytes : 0;
    MPI_Send(&bytes, 1, MPI_UINT64_T, other, tag(leaver, kSize), node_.crew.own);
    leaver.seen = Stage::packed;
  }
  if (stage == Stage::failed) {
    fail(slot.status, fmt::format("rank {} on {} cannot send its image: {}", leaver.rank, node_.name,
                                  cppc_status_text(slot.status)));
    leaver.done = true;
  } else if (leaver.seen == Stage::packed && waiting(node_.crew.own, other, tag(leaver, kOffer))) {
    MPI_Status status;
    MPI_Recv(slot.mail.data(), static_cast<int>(slot.mail.size()), MPI_BYTE, other, tag(leaver, kOffer), node_.crew.own,
             &status);
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    slot.mail_size = static_cast<std::uint32_t>(bytes);
    leaver.seen = Stage::offered;
    slot.stage.set(static_cast<std::uint32_t>(Stage::offered));
  } else if (stage == Stage::shipped) {
    leaver.done = true;
  }
}

void Operation::advance_newcomer(Passage& newcomer) {
  Slot& slot = node_.desk.slot(newcomer.rank);
  const int other = node_.seat(newcomer.other);
  const auto stage = static_cast<Stage>(slot.stage.get());
  if (newcomer.seen == Stage::working) {
    if (!waiting(node_.crew.own, other, tag(newcomer, kSize))) return;
    std::uint64_t bytes = 0;
    MPI_Recv(&bytes, 1, MPI_UINT64_T, other, tag(newcomer, kSize), node_.crew.own, MPI_STATUS_IGNORE);
    newcomer.done = bytes == 0;  // the leaver's agent has said why
    if (newcomer.done) return;
    slot.image_bytes = bytes;
    newcomer.seen = Stage::expected;
    slot.stage.set(static_cast<std::uint32_t>(Stage::expected));
  } else if (newcomer.seen == Stage::expected && (stage == Stage::offering || stage == Stage::failed)) {
    const std::uint32_t bytes = stage == Stage::offering ? slot.mail_size : 0;
    MPI_Send(slot.mail.data(), static_cast<int>(bytes), MPI_BYTE, other, tag(newcomer, kOffer), node_.crew.own);
    newcomer.seen = Stage::offering;
  } else if (stage == Stage::restored) {
    newcomer.done = true;
  }
  if (newcomer.seen == Stage::offering && stage == Stage::failed) {
    fail(slot.status, fmt::format("the replacement of rank {} on {} cannot take over: {}", newcomer.rank, node_.name,
                                  cppc_status_text(slot.status)));
    newcomer.done = true;
  }
}

}  // namespace cppc::migration
