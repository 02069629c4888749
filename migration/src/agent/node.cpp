#include "node.hpp"

#include <algorithm>
#include <thread>

#include "memory_free.hpp"

namespace cppc::migration {

int Node::seat(int number) const {
  return static_cast<int>(std::find(agents.begin(), agents.end(), number) - agents.begin());
}

std::vector<int> Node::local_ranks() const {
  std::vector<int> ranks;
  for (int rank = 0; rank < crew.ranks; ++rank)
    if (agent_of[static_cast<std::size_t>(rank)] == agent) ranks.push_back(rank);
  return ranks;
}

tl::expected<void, cppc_status> Node::adopt(int rank, pid_t process) {
  auto watch = ProcessWatch::on(process);
  if (!watch) return tl::unexpected(watch.error());
  processes.insert_or_assign(rank, std::move(*watch));
  return {};
}

tl::expected<void, cppc_status> Node::report() {
  wire::Roster roster{.agent = agent};
  roster.cores = static_cast<int>(std::thread::hardware_concurrency());
  roster.memory_free = memory_free();
  standing->rank_count = 0;
  for (const int rank : local_ranks()) {
    const negotiation::RankRecord record = page.record(rank);
    const auto process = processes.find(rank);
    const bool ended = process == processes.end() || process->second.ended();
    if (!ended && standing->rank_count < Standing::most_ranks) standing->ranks[standing->rank_count++] = record.pid;
    roster.ranks.push_back(
        {.rank = rank, .pid = record.pid, .bytes = record.bytes, .finished = ended || record.finishing});
  }
  return link.send(roster);
}

}  // namespace cppc::migration
