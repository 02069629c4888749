/// Shows how a migration comes along: a bar that is redrawn on a terminal, otherwise a line per phase.
#pragma once

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

namespace cppc::migrate {

class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  /// Writes to `out`, which has to outlive it; lines begin with `label`.
  Progress(std::FILE* out, bool terminal, std::string label = "")
      : out_(out), terminal_(terminal), label_(std::move(label)) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// The migration as the job describes it, at time `now`.
  void show(const nlohmann::json& migration, Clock::time_point now);

 private:
  void clear();
  std::optional<double> rate(std::uint64_t bytes, Clock::time_point now);

  std::FILE* out_;
  bool terminal_;
  std::string label_;
  bool drawn_ = false;
  std::string phase_, waits_for_;
  std::optional<Clock::time_point> first_bytes_at_;
  std::uint64_t first_bytes_ = 0;
};

/// "[######------------------] ship: 60 of 240 MB, 120 MB/s, 2 s left"; without the parts that are not known.
std::string bar(const std::string& phase, std::uint64_t done, std::uint64_t total,
                std::optional<double> bytes_per_second);

/// "rank 5: node1 -> node2, rank 6: node1 -> node3"
std::string moves_text(const nlohmann::json& moves);

std::string megabytes(double bytes);

}  // namespace cppc::migrate
