#pragma once

#include <string>

#include "../common/result.hpp"
#include "job_client.hpp"

namespace cppc::migrate {

/// The number in "slurm:17"; empty when it is something else.
std::string slurm_job_in(const std::string& server);

/// "https://HOST:PORT" of the controller of a job of Slurm's, as the job's comment has it.
tools::Result<std::string> controller_of_slurm_job(const std::string& job, Deadline deadline);

}  // namespace cppc::migrate
