/// The job of a resource manager that cppc-run was started in: its nodes, how daemons are started on them, and how a
/// node that is empty leaves it.
#pragma once

#include <memory>
#include <stop_token>

#include "../../common/command.hpp"
#include "../allocation.hpp"
#include "release.hpp"

namespace cppc::run {

using tools::Environment;

class ResourceManager {
 public:
  virtual ~ResourceManager() = default;

  /// For people: "Slurm's job 17".
  virtual std::string name() const = 0;
  /// For programs: "slurm:17".
  virtual std::string id() const = 0;
  /// The nodes, with slots, in the order of the job.
  virtual const std::vector<AllocatedNode>& nodes() const = 0;
  /// How many ranks the user has asked it for, if so.
  virtual std::optional<int> ranks() const { return std::nullopt; }
  /// How the names of its variables begin, which programs get as they are here.
  virtual std::string prefix() const = 0;
  /// Whether mpirun must not see this one, since it would act on it.
  virtual bool hides(const std::string& variable) const { return variable.starts_with(prefix()); }
  /// For cppc-launch, which then starts daemons by the resource manager; empty: by the remote shell.
  virtual Environment launch_settings() const { return {}; }
  /// Lets go of a node, known by the name it has in nodes(), on which nothing but a daemon is left of cppc-run's job
  /// `job`. May take long. Thread-safe.
  virtual Release release(const std::string& node, const std::string& job, const std::stop_token& stop) = 0;
  /// What it means when a node is not let go of, for this reason.
  virtual Release keep(const std::string& reason) const = 0;
  /// Writes down in its job where this controller is asked over the network, for those who know only that job, or takes
  /// that out again.
  virtual Result<void> publish(const std::string& /*url*/) { return {}; }
  virtual Result<void> withdraw(const std::string& /*url*/) { return {}; }
};

/// The one that `present` tells of; nullptr: there is none. Refuses by name what cppc-run cannot work in.
Result<std::unique_ptr<ResourceManager>> find_resource_manager(const Environment& present, const Machine& machine);

/// Slurm's; only if SLURM_JOB_ID is set.
Result<std::unique_ptr<ResourceManager>> join_slurm(const Environment& present, const Machine& machine);

/// That of PBS, or a kin of it; only if PBS_NODEFILE is set.
Result<std::unique_ptr<ResourceManager>> join_pbs(const Environment& present, const Machine& machine);

}  // namespace cppc::run
