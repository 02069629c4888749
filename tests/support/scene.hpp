/// What most end-to-end tests start from: a cluster, a heat solver that runs until it is told to stop, and its answer
/// without any migration to compare with.
#pragma once

#include <string>
#include <vector>

#include "job.hpp"

namespace cppc::test {

/// What a program printed about its result.
struct Answer {
  int status = -1;
  std::string checksum;
  std::string steps;
  std::string errors;
};

/// What `heat` has printed.
Answer heat_answer(const Finished& finished);

/// As many steps of `heat` under plain mpirun, on the head alone: nodes may be off, and the answer does not depend on
/// the place.
Answer undisturbed_heat(const Cluster& cluster, const std::string& ranks, const std::vector<std::string>& options,
                        const Answer& answer);

class HeatScene {
 public:
  /// The job rests for 5 ms in each step, so that as many without a migration are soon done. `nodes` nodes; `placement`
  /// are mpirun's options, the number of ranks last; `settings` are for cppc-run.
  HeatScene(int nodes, const std::vector<std::string>& placement, std::vector<std::string> options = {"--mb", "2"},
            const std::vector<std::string>& settings = {}, const std::string& cppc_run = tool("cppc-run"));

  [[nodiscard]] const Cluster& cluster() const { return cluster_; }
  [[nodiscard]] Job& job() { return job_; }
  /// Lets the solver finish.
  Answer finish();
  /// As many steps under plain mpirun.
  [[nodiscard]] Answer undisturbed(const Answer& answer) const;

 private:
  std::string ranks_;
  std::vector<std::string> options_;
  Folder folder_;
  Cluster cluster_;
  Job job_;
};

}  // namespace cppc::test
