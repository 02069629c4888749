/// The jobs of everybody that may have a node: on this machine, and elsewhere by the comments of Slurm's jobs.
#pragma once

#include "job_client.hpp"
#include "route.hpp"

namespace cppc::migrate {

/// `access` says how controllers elsewhere are asked; its server does not count. Who cannot see all jobs on this
/// machine, and has no Slurm to tell him of them, is told so among those that are silent.
Result<RunningJobs> jobs_of_everybody(const std::string& node, const RemoteJob& access, Deadline deadline);

}  // namespace cppc::migrate
