#include "all_jobs.hpp"

#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "../common/command.hpp"
#include "../slurm/job_comment.hpp"

namespace cppc::migrate {
namespace {

struct Controller {
  std::string slurm_job, url;
};

// As the comments of Slurm's jobs on the node have them.
Result<std::vector<Controller>> controllers_on(const std::string& node, Deadline deadline) {
  const auto listing =
      tools::run_command({"squeue", "--noheader", "--states=RUNNING", "--nodelist=" + node, "--format=%A|%k"},
                         tools::present_environment(), left_until(deadline, slurm_timeout));
  if (!listing) return tools::error(listing.error());
  if (listing->status != 0) return tools::error(listing->errors.substr(0, listing->errors.find('\n')));
  std::vector<Controller> controllers;
  std::istringstream lines(listing->output);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t bar = line.find('|');
    if (bar == std::string::npos) continue;
    for (const std::string& url : slurm::controllers_in(line.substr(bar + 1)))
      controllers.push_back({line.substr(0, bar), url});
  }
  return controllers;
}

// Anybody may write into the comment of an own job where somebody else's controller is.
void add(RunningJobs& running, const Controller& controller, RemoteJob access, Deadline deadline) {
  access.server = controller.url;
  const auto route = by_network(access);
  tl::expected<RunningJob, Unanswered> job = tl::unexpected(Unanswered{0, route ? "" : route.error()});
  if (route) job = job_at(*route, deadline);
  const std::string where = "Slurm's job " + controller.slurm_job + " at " + controller.url;
  if (!job) {
    running.silent.push_back(where + " (" + job.error().reason + ")");
  } else if (text(job->description, "allocation") != "slurm:" + controller.slurm_job) {
    running.silent.push_back(where + ", which is not its controller");
  } else if (std::ranges::find(running.jobs, job->id, &RunningJob::id) == running.jobs.end()) {
    running.jobs.push_back(*job);
  }
}

}  // namespace

Result<RunningJobs> jobs_of_everybody(const std::string& node, const RemoteJob& access, Deadline deadline) {
  auto running = running_jobs(/*everybody=*/true, deadline);
  if (!running) return running;
  const auto controllers = controllers_on(node, deadline);
  if (!controllers && geteuid() != 0)
    running->silent.push_back("jobs of others, which root sees here, or Slurm tells of (" + controllers.error() + ")");
  if (!controllers) return running;
  for (const Controller& one : *controllers) add(*running, one, access, deadline);
  return running;
}

}  // namespace cppc::migrate
