#include "node.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "agent_state.hpp"
#include "cppc/memory_free.hpp"

namespace cppc::migration {

int Node::index_of(int number) const {
  return static_cast<int>(std::find(agents.begin(), agents.end(), number) - agents.begin());
}

std::vector<int> Node::local_ranks() const {
  std::vector<int> ranks;
  for (int rank = 0; rank < comms.ranks; ++rank)
    if (agent_of[static_cast<std::size_t>(rank)] == agent) ranks.push_back(rank);
  return ranks;
}

bool Node::has_mpi(int number) const {
  return std::find(agents.begin(), agents.end(), number) != agents.end() &&
         std::find(without_mpi.begin(), without_mpi.end(), number) == without_mpi.end();
}

std::vector<int> Node::lost_members() const {
  std::vector<int> lost;
  for (std::size_t i = 0; i < members.size(); ++i)
    if (!has_mpi(members[i])) lost.push_back(comms.ranks + static_cast<int>(i));
  return lost;
}

std::vector<int> Node::places() const {
  std::vector<int> ranks;
  for (const int number : agents)
    ranks.push_back(
        has_mpi(number) ? static_cast<int>(std::find(members.begin(), members.end(), number) - members.begin()) : -1);
  return ranks;
}

void Node::go_on_with(const std::vector<int>& those, const std::vector<int>& some) {
  if (those != agents || some != without_mpi) note_disturbance();
  agents = those;
  without_mpi = some;
}

tl::expected<void, cppc_status> Node::adopt(int rank, pid_t process) {
  auto watch = ProcessWatch::on(process);
  if (!watch) return tl::unexpected(watch.error());
  processes.insert_or_assign(rank, std::move(*watch));
  return {};
}

void Node::end() const {
  for (const auto& [rank, process] : processes) process.kill();
  ::kill(getppid(), SIGKILL);  // the guardian, without which this process ends
  _exit(kExitWithoutAbort);
}

tl::expected<void, cppc_status> Node::report() {
  wire::Roster roster{.agent = agent};
  roster.cores = static_cast<int>(std::thread::hardware_concurrency());
  roster.memory_free = memory_free();
  state->rank_count = 0;
  for (const int rank : local_ranks()) {
    const negotiation::RankRecord record = page.record(rank);
    const auto process = processes.find(rank);
    const bool ended = process == processes.end() || process->second.ended();
    if (!ended && state->rank_count < AgentState::most_ranks) state->ranks[state->rank_count++] = record.pid;
    roster.ranks.push_back({.rank = rank,
                            .pid = record.pid,
                            .bytes = record.bytes,
                            .finished = ended || record.finishing,
                            .sharers = control.slot(rank).sharers.read()});
  }
  return link.send(roster);
}

}  // namespace cppc::migration
