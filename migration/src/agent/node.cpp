#include "node.hpp"

#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <thread>
#include <utility>

namespace cppc::migration {
namespace {

/// Bytes that processes can still use without swapping.
std::uint64_t memory_free() {
  std::ifstream file("/proc/meminfo");
  for (std::string key, unit; file >> key;) {
    std::uint64_t kilobytes = 0;
    file >> kilobytes;
    std::getline(file, unit);
    if (key == "MemAvailable:") return kilobytes * 1024;
  }
  return 0;
}

}  // namespace

tl::expected<ProcessWatch, cppc_status> ProcessWatch::on(pid_t process) {
  const auto descriptor = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (descriptor < 0) {
    spdlog::error("cannot watch process {}: {}", process, std::strerror(errno));
    return tl::unexpected(CPPC_ERR_SYSTEM);
  }
  return ProcessWatch(descriptor);
}

ProcessWatch::ProcessWatch(ProcessWatch&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

ProcessWatch& ProcessWatch::operator=(ProcessWatch&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

ProcessWatch::~ProcessWatch() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool ProcessWatch::ended() const {
  pollfd one{descriptor_, POLLIN, 0};
  return poll(&one, 1, 0) == 1;
}

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
  for (const int rank : local_ranks()) {
    const negotiation::RankRecord record = page.record(rank);
    const auto process = processes.find(rank);
    const bool ended = process == processes.end() || process->second.ended();
    roster.ranks.push_back(
        {.rank = rank, .pid = record.pid, .bytes = record.bytes, .finished = ended || record.finishing});
  }
  return link.send(roster);
}

}  // namespace cppc::migration
