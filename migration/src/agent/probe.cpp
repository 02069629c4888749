#include "probe.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "../fabric.hpp"

namespace cppc::migration {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kBytes = std::size_t{8} << 20;
constexpr auto kPatience = 3s;  // a provider that does not get through is none

using Bytes = std::vector<std::byte>;

fabric::Patience patience() { return {.deadline = Clock::now() + kPatience, .cancelled = {}}; }

void say(MPI_Comm agents, int other, int tag, const Bytes& bytes) {
  MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, other, tag, agents);
}

/// The other agent may have its hands full: waits without using the processor, which belongs to the ranks.
Bytes hear(MPI_Comm agents, int other, int tag) {
  MPI_Status status;
  int there = 0;
  while (MPI_Iprobe(other, tag, agents, &there, &status), there == 0) std::this_thread::sleep_for(100us);
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  Bytes bytes(static_cast<std::size_t>(size));
  MPI_Recv(bytes.data(), size, MPI_BYTE, other, tag, agents, MPI_STATUS_IGNORE);
  return bytes;
}

tl::expected<void, cppc_status> send_through(const Bytes& offered, const Bytes& memory) {
  const auto offer = fabric::Offer::decode(offered);
  if (!offer) return tl::unexpected(offer.error());
  auto endpoint = fabric::Endpoint::open_towards(*offer);
  if (!endpoint) return tl::unexpected(endpoint.error());
  const std::vector<fabric::Extent> extents{{0, memory}};
  auto sent = fabric::send(std::move(*endpoint), *offer, {.head = {}, .contents = extents}, patience(), {},
                           {.compression = fabric::Compression::off});
  if (!sent) return tl::unexpected(sent.error());
  return {};
}

/// Seconds from the first byte of the contents to the last.
std::optional<double> receive_through(fabric::Receiver& receiver, Bytes& memory) {
  Clock::time_point begin;
  const auto received = receiver.receive(
      [&](std::span<const fabric::Extent>) -> tl::expected<std::vector<fabric::Place>, cppc_status> {
        begin = Clock::now();
        return std::vector<fabric::Place>{{0, memory}};
      },
      patience());
  if (!received) return std::nullopt;
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::optional<double> offer_through(const std::string& provider, MPI_Comm agents, int other, int tag, Bytes& memory) {
  auto receiver = fabric::Endpoint::open({.provider = provider, .local_address = {}}).and_then([](auto&& endpoint) {
    return fabric::Receiver::prepare(std::forward<decltype(endpoint)>(endpoint));
  });
  if (!receiver) return std::nullopt;
  say(agents, other, tag, receiver->offer().encode());
  return receive_through(*receiver, memory);
}

}  // namespace

void probe_towards(MPI_Comm agents, int other, int tag) {
  const std::uint64_t node = fabric::node_identity();
  const auto identity = std::as_bytes(std::span(&node, 1));
  say(agents, other, tag, {identity.begin(), identity.end()});
  const Bytes memory(kBytes, std::byte{0x5a});
  // An offer at a time; an empty one is the end.
  for (Bytes offered = hear(agents, other, tag); !offered.empty(); offered = hear(agents, other, tag))
    if (const auto sent = send_through(offered, memory); !sent)
      spdlog::debug("a fabric provider does not get through: {}", cppc_status_text(sent.error()));
}

std::string probe_from(MPI_Comm agents, int other, int tag) {
  const Bytes identity = hear(agents, other, tag);
  const std::uint64_t node = fabric::node_identity();
  const bool same_node = std::ranges::equal(identity, std::as_bytes(std::span(&node, 1)));
  Bytes memory(kBytes, std::byte{1});
  std::string best;
  double least = 0;
  for (const std::string& provider : fabric::candidates(same_node)) {
    const auto seconds = offer_through(provider, agents, other, tag, memory);
    spdlog::debug("fabric provider {}: {}", provider,
                  seconds ? fmt::format("{:.2f} GB/s", static_cast<double>(kBytes) / *seconds / 1e9) : "nothing");
    if (!seconds || (!best.empty() && *seconds >= least)) continue;
    best = provider;
    least = *seconds;
  }
  say(agents, other, tag, {});
  return best;
}

}  // namespace cppc::migration
