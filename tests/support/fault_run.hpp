/// What carries out cases of faults (fault_case.hpp): in a migration, or in a checkpoint and a recovery from it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "fault_case.hpp"
#include "scene.hpp"

namespace cppc::test {

FaultResult run_in_migration(const FaultCase& one);
FaultResult run_in_checkpoint(const FaultCase& one);

/// The settings of a job in which `point` (PLACE:ACTION:NTH, or empty) fails, and the file that tells that it has.
class FaultSettings {
 public:
  FaultSettings(const FaultCase& one, const std::string& point);
  [[nodiscard]] const std::vector<std::string>& all() const { return all_; }
  void add(const std::string& setting) { all_.push_back(setting); }
  [[nodiscard]] bool struck() const;

 private:
  Folder folder_;
  std::vector<std::string> all_;
};

/// Whether the job has been started again from memory, or taken up, as it has said since `since`.
bool went_on_from_memory(const std::string& messages, std::size_t since = 0);
/// Until the job runs, or has ended; not for ever.
bool await_state_running(Job& job);
/// A cppc-run that has been killed leaves images: another one takes up the job. What the first one has said; the
/// second's is said by the job.
std::string take_up(Job& job);

/// Lets the job finish; its fate, unless it is known, and whether its result is right.
Answer conclude(HeatScene& scene, FaultResult& result);

/// Processes of the job on these nodes, and what is in their shared memory, when they have had time to end.
std::string what_stays(const Cluster& cluster, const std::vector<std::string>& nodes);

inline double seconds_since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

}  // namespace cppc::test
