/// migrate: moves the ranks of a running job to other nodes.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>

#include "../common/standard_output.hpp"
#include "all_jobs.hpp"
#include "command_line.hpp"
#include "evacuation.hpp"
#include "migration_request.hpp"
#include "route.hpp"
#include "slurm_server.hpp"
#include "status.hpp"

namespace cppc::migrate {
namespace {

using namespace std::chrono_literals;

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string ids(const std::vector<RunningJob>& jobs) {
  std::vector<std::string> names;
  for (const RunningJob& job : jobs) names.push_back(job.id);
  return joined(names);
}

int show_status(const std::vector<RunningJob>& jobs, bool as_json) {
  if (as_json) {
    nlohmann::json all = nlohmann::json::array();
    for (const RunningJob& job : jobs) {
      all.push_back(job.description);
      if (!job.user.empty()) all.back()["user"] = job.user;
    }
    print_json(all);
  } else {
    for (const RunningJob& job : jobs) std::fputs(describe(job).c_str(), stdout);
    if (jobs.empty()) std::puts("no job is running");
  }
  return EXIT_SUCCESS;
}

int show_trace(const RunningJob& job, const Command& command) {
  const Answer answer = job.client.trace(*command.traced);
  if (answer.status == 0) return fail(command, Exit::failed, "cppc-run of job " + job.id + " does not answer");
  if (answer.status != 200) return fail(command, Exit::refused, answer.error());
  print_json(answer.body);
  return EXIT_SUCCESS;
}

/// What is asked of one job.
int ask_one(const std::vector<RunningJob>& jobs, const Command& command) {
  if (jobs.empty()) return fail(command, Exit::refused, "no job is running that cppc-run has started on this machine");
  if (jobs.size() > 1)
    return fail(command, Exit::wrong_usage, "several jobs are running: " + ids(jobs) + "; choose with --job");
  if (command.traced) return show_trace(jobs.front(), command);
  return exit_with(carry_out(jobs.front(), command.request));
}

bool has_passed(const Deadline& deadline) { return deadline && Clock::now() >= *deadline; }

Exit unanswered(const Deadline& deadline) { return has_passed(deadline) ? Exit::timeout : Exit::failed; }

constexpr int unauthorized = 401;

int run_remotely(const Command& command, RemoteJob remote) {
  const std::string slurm_job = slurm_job_in(remote.server);
  if (!slurm_job.empty()) {
    auto server = controller_of_slurm_job(slurm_job, command.deadline);
    if (!server) return fail(command, has_passed(command.deadline) ? Exit::timeout : Exit::refused, server.error());
    remote.server = *std::move(server);
  }
  const auto route = by_network(remote);
  if (!route) return fail(command, Exit::wrong_usage, route.error());
  const auto job = job_at(*route, command.deadline);
  if (!job && job.error().status == unauthorized)
    return fail(command, Exit::refused, remote.server + " does not know you");
  if (!job)
    return fail(command, unanswered(command.deadline), "no answer from " + remote.server + ": " + job.error().reason);
  // Anybody may write into the comment of an own job where somebody else's controller is.
  if (!slurm_job.empty() && text(job->description, "allocation") != "slurm:" + slurm_job)
    return fail(command, Exit::refused,
                remote.server + ", which Slurm's job " + slurm_job + " names, is not its controller");
  if (!command.job.empty() && job->id != command.job)
    return fail(command, Exit::refused, "there is no job " + command.job + ", or it has ended");
  if (command.status) return show_status({*job}, command.request.json);
  if (command.request.evacuate.empty()) return ask_one({*job}, command);
  const auto look = [&]() -> Result<RunningJobs> {
    auto now = job_at(*route, command.deadline);
    if (now) return RunningJobs{{*std::move(now)}, {}};
    return job->client.gone() ? RunningJobs{} : RunningJobs{{}, {"job " + job->id}};
  };
  return exit_with(Evacuation({look, "", /*sees_all=*/false}, command.request).run());
}

int evacuate_everybodys(const Command& command, const RemoteJob& access) {
  const auto look = [&] { return jobs_of_everybody(command.request.evacuate, access, command.deadline); };
  return exit_with(Evacuation({look, ""}, command.request).run());
}

// Until a job that has just been started can be asked.
constexpr auto kStartTimeout = 10s;

// Only who asks for ranks without saying of which job means those of his own jobs alone.
int run_here(const Command& command) {
  const bool moves = !command.status && command.request.evacuate.empty();
  const auto look = [&] { return running_jobs(/*everybody=*/!moves || !command.job.empty(), command.deadline); };
  auto running = look();
  for (const auto end = Clock::now() + kStartTimeout;
       running && running->starting && Clock::now() < end && !has_passed(command.deadline); running = look())
    std::this_thread::sleep_for(100ms);
  if (!running) return fail(command, Exit::failed, running.error());
  std::vector<RunningJob>& jobs = running->jobs;
  if (!command.status && jobs.empty() && !running->silent.empty())
    return fail(command, unanswered(command.deadline), "no answer from " + joined(running->silent));
  for (const std::string& silent : running->silent) complain("no answer from " + silent);
  if (!command.job.empty()) {
    std::erase_if(jobs, [&](const RunningJob& job) { return job.id != command.job; });
    if (jobs.empty()) return fail(command, Exit::refused, "there is no job " + command.job + ", or it has ended");
  }
  if (command.status) return show_status(jobs, command.request.json);
  if (moves || jobs.empty()) return ask_one(jobs, command);
  return exit_with(Evacuation({look, command.job}, command.request).run());
}

}  // namespace
}  // namespace cppc::migrate

int main(int argc, char** argv) {
  using namespace cppc::migrate;
  std::signal(SIGPIPE, SIG_IGN);  // who is asked something may close the connection before
  CommandLine line;
  if (const std::optional<int> status = line.parse(argc, argv)) return *status;
  const Command& command = line.command();
  const int status = command.all_jobs ? evacuate_everybodys(command, line.remote())
                     : line.server()  ? run_remotely(command, line.remote())
                                      : run_here(command);
  const bool written = cppc::tools::has_written_output("migrate");
  return status == EXIT_SUCCESS && !written ? exit_with(Exit::failed) : status;
}
