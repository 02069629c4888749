/// Empties a node by migrate(1), which asks all jobs.
#pragma once

#include <mutex>

#include "daemon.hpp"

namespace cppc::health {

class Evacuator {
 public:
  /// `slurm`: new jobs are kept off the node by draining it.
  Evacuator(std::filesystem::path migrate, bool dry_run, bool slurm)
      : migrate_(std::move(migrate)), dry_run_(dry_run), slurm_(slurm) {}

  /// From any thread.
  Report operator()(const Task& task);

 private:
  struct Need;
  struct Seen;

  Result<Seen> look(const Task& task) const;
  void drain(const Task& task) const;
  Report empty(const Task& task, const std::string& job, Time left);
  Report smallest_first(const Task& task, std::vector<Need> needs, Time end);
  Report plan(const Task& task) const;
  bool is_too_much(const Task& task, const std::vector<Need>& needs) const;
  void learn_rate(const nlohmann::json& jobs);

  const std::filesystem::path migrate_;
  const bool dry_run_, slurm_;
  mutable std::mutex mutex_;
  double rate_ = 0;  // the most bytes a second that a job has managed; 0: not known
};

}  // namespace cppc::health
