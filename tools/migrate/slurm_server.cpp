#include "slurm_server.hpp"

#include <algorithm>

#include "../slurm/job_comment.hpp"
#include "../slurm/slurm.hpp"

namespace cppc::migrate {

std::string slurm_job_in(const std::string& server) {
  const std::string scheme = "slurm:";
  if (!server.starts_with(scheme)) return "";
  const std::string job = server.substr(scheme.size());
  return job.find_first_not_of("0123456789") == std::string::npos ? job : "";
}

tools::Result<std::string> controller_of_slurm_job(const std::string& job, Deadline deadline) {
  const auto comment = slurm::comment_of(job, left_until(deadline, slurm_timeout));
  if (!comment) return tools::error(comment.error());
  const auto controllers = slurm::controllers_in(*comment);
  if (controllers.empty())
    return tools::error("the comment of Slurm's job " + job +
                        " names no controller: cppc-run has to be started there with --listen");
  if (controllers.size() == 1) return controllers.front();
  std::string all;
  for (const std::string& one : controllers) all += " " + one;
  return tools::error("Slurm's job " + job + " has several controllers; choose one with --server:" + all);
}

}  // namespace cppc::migrate
