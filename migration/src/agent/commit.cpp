/// The end of a migration: commit, or undo.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <thread>

#include "cppc/deadlines.hpp"
#include "operation.hpp"

namespace cppc::migration {

using namespace std::chrono_literals;

std::vector<int> Operation::joining_agents() const {
  std::vector<int> agents;
  for (const wire::Move& move : order_.moves) agents.push_back(move.to);
  std::sort(agents.begin(), agents.end());
  agents.erase(std::unique(agents.begin(), agents.end()), agents.end());
  return agents;
}

void Operation::commit() {
  for (const Passage& newcomer : newcomers_) node_.desk.slot(newcomer.rank).needed.store(1);
  for (const Passage& leaver : leavers_) node_.desk.slot(leaver.rank).decided.store(1);
  announce("commit");
  const MPI_Comm agents_before = node_.crew.own;
  const auto committed = Clock::now();
  join_crew();
  if (failure_.status != CPPC_OK) return;
  const auto works = [this](int rank) {
    return node_.desk.slot(rank).stage.get() == static_cast<std::uint32_t>(Stage::working);
  };
  update_node();
  for (const int rank : node_.local_ranks())
    while (!works(rank)) std::this_thread::sleep_for(50us);
  outcome_.rebuild_ms = milliseconds_since(committed);
  outcome_.frozen_ms = milliseconds_since(frozen_);
  outcome_.response_ms = milliseconds_since(started_);
  acknowledge(agents_before);
  await_departures();
  if (!leavers_.empty()) outcome_.evacuation_ms = milliseconds_since(started_);
  share_times(agents_before);
  node_.standing->needed = false;
  node_.watch->resume();
}

void Operation::join_crew() {
  const std::vector<int> agents = joining_agents();
  const auto group = std::find(agents.begin(), agents.end(), node_.agent);
  std::vector<int> joins;
  for (const int agent : agents) joins.push_back(node_.crew.ranks + node_.seat(agent));
  Part part{.before = node_.crew,
            .joins = joins,
            .agent = true,
            .leaves = retires(),
            .place = node_.agent,
            .ranks = node_.crew.ranks};
  if (group != agents.end()) part.group = static_cast<int>(group - agents.begin());
  for (const Passage& newcomer : newcomers_) node_.desk.slot(newcomer.rank).group = part.group;
  node_.desk.command(Action::join, joins);
  if (children_ != MPI_COMM_NULL) {
    PMPI_Intercomm_merge(children_, 0, &part.bridge);
    PMPI_Comm_free(&children_);
  }
  auto crew = join(part);
  if (!crew) return fail(CPPC_ERR_MPI, "the communicator of all ranks could not be rebuilt");
  node_.crew = *crew;
}

void Operation::update_node() {
  for (const wire::Move& move : order_.moves) node_.agent_of[static_cast<std::size_t>(move.rank)] = move.to;
  for (Passage& newcomer : newcomers_) node_.processes.insert_or_assign(newcomer.rank, std::move(*newcomer.process));
  std::erase_if(node_.agents, [this](int agent) {
    return std::find(order_.retire.begin(), order_.retire.end(), agent) != order_.retire.end();
  });
}

/// Until everybody works, leavers keep their images.
void Operation::acknowledge(MPI_Comm agents) {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Ibarrier(agents, &request);
  await(request);
  for (const Passage& leaver : leavers_) node_.desk.slot(leaver.rank).dismissed.set(1);
}

void Operation::await_departures() {
  Allowance patience(deadlines::leave());
  for (const Passage& leaver : leavers_) {
    const auto process = node_.processes.find(leaver.rank);
    while (!process->second.ended() && !patience.spent()) std::this_thread::sleep_for(1ms);
    if (!process->second.ended())  // the rank has moved all the same
      spdlog::error("rank {} has moved, but its old process on {} is still there", leaver.rank, node_.name);
    node_.processes.erase(process);
    Slot& slot = node_.desk.slot(leaver.rank);
    slot.leaving = 0;
    slot.decided.store(0);
  }
}

void Operation::share_times(MPI_Comm agents) {
  std::array<double, 4> mine{outcome_.frozen_ms, outcome_.rebuild_ms, outcome_.response_ms, outcome_.evacuation_ms};
  std::array<double, 4> all{};
  std::uint64_t bytes = outcome_.image_bytes;
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Iallreduce(mine.data(), all.data(), 4, MPI_DOUBLE, MPI_MAX, agents, &request);
  await(request);
  PMPI_Iallreduce(&bytes, &outcome_.image_bytes, 1, MPI_UINT64_T, MPI_SUM, agents, &request);
  await(request);
  outcome_.frozen_ms = all[0];
  outcome_.rebuild_ms = all[1];
  outcome_.response_ms = all[2];
  outcome_.evacuation_ms = all[3];
  PMPI_Comm_free(&agents);
}

void Operation::roll_back() {
  for (const Passage& leaver : leavers_) node_.desk.slot(leaver.rank).leaving = 0;
  for (const Passage& newcomer : newcomers_) {
    Slot& slot = node_.desk.slot(newcomer.rank);
    slot.dismissed.set(1);
    if (slot.stage.get() == static_cast<std::uint32_t>(Stage::ready))
      slot.stage.set(static_cast<std::uint32_t>(Stage::expected));
  }
  node_.desk.command(Action::go_on);
  if (children_ != MPI_COMM_NULL) PMPI_Comm_free(&children_);
  // The next migration may use their places at the desk.
  Allowance patience(2 * deadlines::leave());  // their guardians end them
  for (const Passage& newcomer : newcomers_) {
    const Slot& slot = node_.desk.slot(newcomer.rank);
    while (slot.is_left() && !patience.spent()) std::this_thread::sleep_for(1ms);
    if (slot.is_left())
      spdlog::error("{}: the replacement of rank {} that is not needed any more does not go", node_.name,
                    newcomer.rank);
  }
}

}  // namespace cppc::migration
