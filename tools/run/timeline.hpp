/// What agents have told of a migration, and when that came: phases of each of them, bytes of each rank that leaves.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cppc/wire.hpp"

namespace cppc::run {

class Timeline {
 public:
  using Clock = std::chrono::steady_clock;

  struct Phase {
    std::string name;
    Clock::time_point began;  ///< until the next one
  };
  struct Sample {
    Clock::time_point at;
    std::uint64_t bytes = 0;  ///< sent by then
  };
  struct Shipping {
    std::uint64_t done = 0, total = 0;
    std::uint64_t chunks_again = 0;  ///< that did not arrive as they were sent
    std::vector<Sample> samples;     ///< at most some hundred
  };

  void take(const wire::Progress& progress, Clock::time_point now);
  /// Only rate() stays known.
  void drop_details();

  const std::map<int, std::vector<Phase>>& phases() const { return phases_; }  ///< by agent
  const std::map<int, Shipping>& shipping() const { return shipping_; }        ///< by rank
  std::uint64_t bytes_done() const;
  std::uint64_t bytes_total() const;
  /// Bytes a second since the first came; none until that can be said.
  std::optional<double> rate() const;

 private:
  std::map<int, std::vector<Phase>> phases_;
  std::map<int, Shipping> shipping_;
  std::map<int, wire::Shipment> sums_;  // by agent
  std::optional<Sample> first_, last_;  // of all ranks together
};

}  // namespace cppc::run
