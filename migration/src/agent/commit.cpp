/// The end of a migration: commit, or undo.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <iterator>
#include <span>
#include <thread>
#include <utility>

#include "cppc/deadlines.hpp"
#include "operation.hpp"

namespace cppc::migration {

using namespace std::chrono_literals;

namespace {
constexpr int kLists = 7;  // leader to agents without MPI: number of joins, joins, gone

/// Of so many ranks one message by way of the controller, which agents without MPI need, has the downtimes.
constexpr int kMostDowntimes = 200'000;
}  // namespace

std::vector<int> Operation::joining_agents() const {
  std::vector<int> agents;
  for (const wire::Move& move : order_.moves) agents.push_back(move.to);
  std::sort(agents.begin(), agents.end());
  agents.erase(std::unique(agents.begin(), agents.end()), agents.end());
  return agents;
}

void Operation::commit() {
  const std::uint64_t committed_ns = now_ns();
  for (const RankTransfer& replacement : replacements_) {
    Slot& slot = node_.control.slot(replacement.rank);
    slot.stood_ns = 0;
    slot.stopped_ns = committed_ns;
    slot.needed.store(1);
  }
  for (const RankTransfer& source : sources_) node_.control.slot(source.rank).decided.store(1);
  announce("commit");
  const MPI_Comm before = node_.comms.own;
  const auto committed = Clock::now();
  rebuild_comms();
  if (failure_.status != CPPC_OK) return;
  const auto works = [this](int rank) {
    return node_.control.slot(rank).stage.get() == static_cast<std::uint32_t>(Stage::working);
  };
  update_node();
  for (const int rank : node_.local_ranks())
    while (!works(rank)) std::this_thread::sleep_for(50us);
  note_downtimes(committed_ns);
  outcome_.rebuild_ms = milliseconds_since(committed);
  outcome_.frozen_ms = milliseconds_since(frozen_);
  outcome_.response_ms = milliseconds_since(started_);
  acknowledge();
  if (failure_.status != CPPC_OK) return;
  await_departures();
  if (!sources_.empty()) outcome_.evacuation_ms = milliseconds_since(started_);
  share_times();
  if (failure_.status != CPPC_OK) return;
  free_agents(before);
  node_.state->confirmed = order_.id;
  node_.state->needed = false;
  node_.watch->resume();
}

/// The ranks of all nodes get the same lists. Agents without MPI do not know who has been in the communicators.
void Operation::rebuild_comms() {
  const std::vector<int> agents = joining_agents();
  const auto group = std::find(agents.begin(), agents.end(), node_.agent);
  Lists lists{.gone = node_.lost_members()};
  for (const int agent : agents) lists.joins.push_back(node_.comms.ranks + node_.index_of(agent));
  if (!share(lists)) return fail(CPPC_ERR_MPI, comm_.error());
  Part part{.before = node_.comms,
            .gone = lists.gone,
            .joins = lists.joins,
            .agent = true,
            .leaves = retires(),
            .place = node_.agent,
            .ranks = node_.comms.ranks};
  if (group != agents.end()) part.group = static_cast<int>(group - agents.begin());
  for (const RankTransfer& replacement : replacements_) node_.control.slot(replacement.rank).group = part.group;
  node_.control.command(Action::join, lists.joins, lists.gone);
  if (node_.has_mpi(node_.agent)) join_replacements(part);
}

void Operation::join_replacements(Part part) {
  const char* const failed = "the communicator of all ranks could not be rebuilt";
  if (children_ != MPI_COMM_NULL) {
    if (!checked(PMPI_Intercomm_merge(children_, 0, &part.bridge), "MPI_Intercomm_merge with the replacements") ||
        !checked(PMPI_Comm_free(&children_), "MPI_Comm_free"))
      return fail(CPPC_ERR_MPI, failed);
  }
  auto comms = join(part);
  if (!comms) return fail(CPPC_ERR_MPI, failed);
  node_.comms = *comms;
}

/// The leader tells agents without MPI.
bool Operation::share(Lists& lists) {
  std::vector<int> words{static_cast<int>(lists.joins.size())};
  words.insert(words.end(), lists.joins.begin(), lists.joins.end());
  words.insert(words.end(), lists.gone.begin(), lists.gone.end());
  if (node_.leader())
    for (const int other : order_.without_mpi)
      if (!comm_.send(node_.index_of(other), tag(0, kLists), std::as_bytes(std::span(words)))) return false;
  if (node_.has_mpi(node_.agent)) return true;
  const auto received = comm_.receive(0, tag(0, kLists));
  if (!received) return false;
  words.resize(received->size() / sizeof(int));
  std::memcpy(words.data(), received->data(), words.size() * sizeof(int));
  const auto joins = words.begin() + 1;
  lists.joins.assign(joins, joins + words.front());
  lists.gone.assign(joins + words.front(), words.end());
  return true;
}

void Operation::update_node() {
  for (const wire::Move& move : order_.moves) node_.agent_of[static_cast<std::size_t>(move.rank)] = move.to;
  for (RankTransfer& replacement : replacements_)
    node_.processes.insert_or_assign(replacement.rank, std::move(*replacement.process));
  std::erase_if(node_.agents, [this](int agent) {
    return std::find(order_.retire.begin(), order_.retire.end(), agent) != order_.retire.end();
  });
  node_.members.clear();
  std::copy_if(node_.agents.begin(), node_.agents.end(), std::back_inserter(node_.members),
               [this](int agent) { return node_.has_mpi(agent); });
}

/// A communicator that has been disturbed is left alone, and what was made from it.
void Operation::free_agents(MPI_Comm before) {
  if (!std::exchange(node_.disturbed, false) && before != MPI_COMM_NULL)
    (void)checked(PMPI_Comm_free(&before), "MPI_Comm_free");
}

/// Until everybody works, sources keep their images.
void Operation::acknowledge() {
  if (!comm_.barrier()) return fail(CPPC_ERR_MPI, comm_.error());
  for (const RankTransfer& source : sources_) node_.control.slot(source.rank).dismissed.set(1);
}

void Operation::await_departures() {
  TimeBudget budget(deadlines::leave());
  for (const RankTransfer& source : sources_) {
    const auto process = node_.processes.find(source.rank);
    while (!process->second.ended() && !budget.spent()) std::this_thread::sleep_for(1ms);
    if (!process->second.ended())  // the rank has moved all the same
      spdlog::error("rank {} has moved, but its old process on {} is still there", source.rank, node_.name);
    node_.processes.erase(process);
    Slot& slot = node_.control.slot(source.rank);
    slot.leaving = 0;
    slot.decided.store(0);
  }
}

/// Of this node's ranks. A rank that moves stands still on two nodes, whose clocks may differ: what comes before the
/// commit counts on the one, the rest on the other. Agents differ in when they commit by the time of a few messages.
void Operation::note_downtimes(std::uint64_t committed_ns) {
  if (node_.comms.ranks > kMostDowntimes) return;
  std::vector<double>& downtimes = outcome_.downtime_ms;
  downtimes.resize(static_cast<std::size_t>(node_.comms.ranks));
  const auto note = [&](int rank, std::uint64_t nanoseconds) {
    downtimes[static_cast<std::size_t>(rank)] = static_cast<double>(nanoseconds) / 1e6;
  };
  for (const int rank : node_.local_ranks()) note(rank, node_.control.slot(rank).stood_ns);
  for (const RankTransfer& source : sources_) {
    const Slot& slot = node_.control.slot(source.rank);
    note(source.rank, slot.stood_ns + (committed_ns - slot.stopped_ns));
  }
}

void Operation::share_times() {
  std::array<double, 4> times{outcome_.frozen_ms, outcome_.rebuild_ms, outcome_.response_ms, outcome_.evacuation_ms};
  std::array<std::int64_t, 1> bytes{static_cast<std::int64_t>(outcome_.image_bytes)};
  if (!comm_.allreduce(times, [](double one, double other) { return std::max(one, other); }) ||
      !comm_.allreduce(bytes, std::plus<>()) || !share_downtimes())
    return fail(CPPC_ERR_MPI, comm_.error());
  outcome_.frozen_ms = times[0];
  outcome_.rebuild_ms = times[1];
  outcome_.response_ms = times[2];
  outcome_.evacuation_ms = times[3];
  outcome_.image_bytes = static_cast<std::uint64_t>(bytes[0]);
}

/// Sums, since each rank that moves has stood still on two nodes.
bool Operation::share_downtimes() {
  std::vector<double>& downtimes = outcome_.downtime_ms;
  std::vector<float> numbers(downtimes.begin(), downtimes.end());
  const auto bytes_of = [](const std::vector<float>& numbers) {
    const auto bytes = std::as_bytes(std::span(numbers));
    return AgentComm::Bytes(bytes.begin(), bytes.end());
  };
  const auto read = [](std::vector<float>& numbers, const AgentComm::Bytes& bytes) {
    std::memcpy(numbers.data(), bytes.data(), std::min(bytes.size(), numbers.size() * sizeof(float)));
  };
  AgentComm::Bytes all = bytes_of(numbers);
  const bool done = comm_.allreduce(all, [&](AgentComm::Bytes& sum, const AgentComm::Bytes& more) {
    std::vector<float> sums(numbers.size());
    std::vector<float> others(numbers.size());
    read(sums, sum);
    read(others, more);
    std::ranges::transform(sums, others, sums.begin(), std::plus<>());
    sum = bytes_of(sums);
  });
  if (!done) return false;
  read(numbers, all);
  downtimes.assign(numbers.begin(), numbers.end());
  return true;
}

void Operation::roll_back() {
  for (const RankTransfer& source : sources_) node_.control.slot(source.rank).leaving = 0;
  for (const RankTransfer& replacement : replacements_) {
    Slot& slot = node_.control.slot(replacement.rank);
    slot.dismissed.set(1);
    if (slot.stage.get() == static_cast<std::uint32_t>(Stage::ready))
      slot.stage.set(static_cast<std::uint32_t>(Stage::expected));
  }
  node_.control.command(Action::go_on);
  if (children_ != MPI_COMM_NULL) (void)checked(PMPI_Comm_free(&children_), "MPI_Comm_free");
  // The next migration may use their places at the control block.
  TimeBudget budget(2 * deadlines::leave());  // their guardians end them
  for (const RankTransfer& replacement : replacements_) {
    const Slot& slot = node_.control.slot(replacement.rank);
    while (slot.is_left() && !budget.spent()) {
      poll_controller();  // the controller may ask this agent
      std::this_thread::sleep_for(1ms);
    }
    if (slot.is_left())
      spdlog::error("{}: the replacement of rank {} that is not needed any more does not go", node_.name,
                    replacement.rank);
  }
}

}  // namespace cppc::migration
