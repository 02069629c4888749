/// Empties a node by migrate(1), which asks all jobs.
#pragma once

#include <mutex>

#include "daemon.hpp"

namespace cppc::health {

class Evacuator {
 public:
  Evacuator(std::filesystem::path migrate, bool dry_run) : migrate_(std::move(migrate)), dry_run_(dry_run) {}

  /// From any thread.
  Report operator()(const Task& task);

 private:
  struct Need;

  Result<std::vector<Need>> look(const Task& task) const;
  Report empty(const Task& task, const std::string& job, Time left);
  Report smallest_first(const Task& task, std::vector<Need> needs, Time end);
  Report plan(const Task& task) const;
  bool is_too_much(const Task& task, const std::vector<Need>& needs) const;
  void learn_rate(const nlohmann::json& jobs);

  const std::filesystem::path migrate_;
  const bool dry_run_;
  mutable std::mutex mutex_;
  double rate_ = 0;  // the most bytes a second that a job has managed; 0: not known
};

}  // namespace cppc::health
