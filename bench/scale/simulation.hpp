/// What the simulations of bench-scale have in common: the agents' tree, whose messages arrive one tick after they are
/// sent, and what is counted. A tick is an agent's pause between two polls.
#pragma once

#include <algorithm>
#include <deque>
#include <random>
#include <utility>
#include <vector>

#include "cppc/tree.hpp"

namespace cppc::bench::scale {

inline constexpr int kRanksPerNode = 32;
inline constexpr int kSlowness =
    10;  ///< ticks of work between two steps: this many, and as many on average, exponentially
inline constexpr int kBellWithin = 20;  ///< ticks in which the order to negotiate reaches all agents
inline constexpr long kFirstBell = 100;
inline constexpr long kMostTicks = 100'000;

using Random = std::mt19937_64;

inline long until_next_step(Random& random) {
  return kSlowness + static_cast<long>(std::exponential_distribution<>(1.0 / kSlowness)(random));
}

inline long first_doorbell(Random& random) {
  return kFirstBell + std::uniform_int_distribution<long>(0, kBellWithin - 1)(random);
}

/// Of one agreement.
struct Cost {
  bool right = false;        ///< all ranks stand where they should
  long ticks = 0;            ///< from the first doorbell until they do
  long received_most = 0;    ///< messages, by the agent that receives most
  double received_mean = 0;  ///< by an agent
};

/// An agent's place in the tree, and what it has been sent.
class Place final : public negotiation::Tree {
 public:
  Place(int self, std::vector<Place>& all, const long& now, int agents)
      : Tree(self, agents, default_fan_out), all_(&all), now_(&now) {}

  tl::expected<void, cppc_status> send(int to, Words words) override {
    (*all_)[static_cast<std::size_t>(to)].inbox_.push_back({self(), *now_ + 1, std::move(words)});
    return {};
  }

  tl::expected<std::optional<Words>, cppc_status> receive(int from) override {
    const auto found = std::ranges::find(inbox_, from, &Message::from);
    if (found == inbox_.end() || found->arrives > *now_) return std::nullopt;
    Words words = std::move(found->words);
    inbox_.erase(found);
    ++received_;
    return words;
  }

  [[nodiscard]] long received() const { return received_; }

 private:
  struct Message {
    int from;
    long arrives;
    Words words;
  };
  std::vector<Place>* all_;
  const long* now_;
  std::deque<Message> inbox_;
  long received_ = 0;
};

inline void make_places(int agents, const long& now, std::vector<Place>& places) {
  places.reserve(static_cast<std::size_t>(agents));
  for (int agent = 0; agent < agents; ++agent) places.emplace_back(agent, places, now, agents);
}

inline void count_messages(const std::vector<Place>& places, Cost& cost) {
  for (const Place& place : places) {
    cost.received_most = std::max(cost.received_most, place.received());
    cost.received_mean += static_cast<double>(place.received()) / static_cast<double>(places.size());
  }
}

/// A job of ranks that exchange messages with their neighbours, as given by its seed.
Cost agree_on_migration_point(int ranks, std::uint64_t seed);
/// … and take part in a collective operation of all ranks in every few steps.
Cost agree_on_cut(int ranks, std::uint64_t seed);

}  // namespace cppc::bench::scale
