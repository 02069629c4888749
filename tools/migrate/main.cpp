/// migrate: moves the ranks of a running job to other nodes.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "../common/option_values.hpp"
#include "../common/standard_output.hpp"
#include "all_jobs.hpp"
#include "evacuation.hpp"
#include "migration_request.hpp"
#include "route.hpp"
#include "slurm_server.hpp"
#include "status.hpp"

namespace cppc::migrate {
namespace {

using namespace std::chrono_literals;

constexpr const char* footer = R"(Examples:
  migrate status                          which jobs run, and where their ranks are
  migrate --rank 5 --to node2
  migrate --rank 3,5,8 --to node2 --dry-run
  migrate --evacuate node1                empties it of all jobs; says whether it may be powered off
  migrate --evacuate node1 --to node2,node3 --timeout 30
  migrate --add node7                     the job gets another node, or one back: all of it is started again there
  migrate --restore node1                 node1 comes back, and the ranks that had left it
  migrate checkpoint --to /scratch/heat   images of all ranks, to restart from: cppc-run --restart /scratch/heat
  migrate --job heat-1f3a5b7d --rank 0 --to node1
  migrate trace 3 > t.json                migration 3 on a timeline, for https://ui.perfetto.dev
  migrate --server https://login1:4711 --ca site.pem --token-file ~/.cppc-token status
  migrate --server slurm:1234 --ca site.pem --munge --rank 0 --to node2

Exit status: 0 done, 1 failed and the job goes on as before, 2 wrong usage, 3 refused, 4 the job is damaged, 5 the node is
empty, but cppc-run runs on it, 6 other jobs are on it, or may be; it is empty, but in the job of
the resource manager: 7 still, 8 since the batch script runs there, 9 since Slurm has taken one out before; 124 timeout
See also: cppc-run(1))";

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

struct Command {
  bool status = false;
  std::optional<std::uint64_t> traced;  ///< a migration whose trace is wanted
  std::string job;                      ///< empty: whichever there is
  bool all_jobs = false;                ///< of everybody, elsewhere too
  Request request;
  Deadline deadline;
};

int fail(const Command& command, Exit how, const std::string& reason) {
  if (command.request.json) print_json({{"error", reason}});
  complain(reason);
  return exit_with(how);
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
constexpr auto kPatienceWithStart = 10s;

// Only who asks for ranks without saying of which job means those of his own jobs alone.
int run_here(const Command& command) {
  const bool moves = !command.status && command.request.evacuate.empty();
  const auto look = [&] { return running_jobs(/*everybody=*/!moves || !command.job.empty(), command.deadline); };
  auto running = look();
  for (const auto end = Clock::now() + kPatienceWithStart;
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
  using cppc::tools::wrong_name, cppc::tools::wrong_positive_seconds, cppc::tools::wrong_whole_number;
  std::signal(SIGPIPE, SIG_IGN);  // who is asked something may close the connection before
  Command command;
  Request& request = command.request;
  CLI::App app{
      "Moves ranks of a running MPI job, started by cppc-run, to other nodes while it works, or saves all of them."};
  app.footer(footer);
  app.set_version_flag("--version", "migrate " CPPC_VERSION);
  auto* status = app.add_subcommand("status", "which jobs run, and where their ranks are");
  auto* trace = app.add_subcommand("trace", "a migration on a timeline, as JSON in Chrome's trace format");
  trace->add_option("ID", command.traced, "the number of the migration")->required()->check(wrong_whole_number);
  auto* checkpoint = app.add_subcommand("checkpoint", "write images of all ranks, which work on meanwhile, to files");
  std::string directory;
  auto* checkpoint_to = checkpoint->add_option(
      "--to", directory,
      "a directory that all nodes see (as cppc-run --checkpoint-to says); it gets one of its own there");
  auto* rank = app.add_option("--rank", request.ranks, "the ranks to move, such as 3,5,8")
                   ->delimiter(',')
                   ->allow_extra_args(false);
  auto* evacuate =
      app.add_option("--evacuate", request.evacuate, "the node whose ranks, of all jobs, are to move; it is given up");
  auto* to = app.add_option("--to", request.to, "the node to move to; several to share the ranks out")
                 ->delimiter(',')
                 ->allow_extra_args(false);
  auto* avoid = app.add_option("--avoid", request.avoid, "nodes that no rank is to go to when a node is evacuated")
                    ->delimiter(',')
                    ->allow_extra_args(false);
  auto* add = app.add_option("--add", request.add,
                             "nodes that the job is to have, as --host names them; --rank and --to, if some are to "
                             "be there at once")
                  ->delimiter(',')
                  ->allow_extra_args(false);
  auto* restore = app.add_option("--restore", request.restore, "the node that all ranks which have left it go back to");
  std::string image_directory;
  auto* images = app.add_option("--images", image_directory,
                                "for --add and --restore: a directory that all nodes see, for images of all ranks; "
                                "without it they are in the memory of the nodes, or in an allocation of a resource "
                                "manager where cppc-run --checkpoint-to says");
  for (auto* option : {evacuate, to, avoid, add, restore}) option->check(wrong_name);
  auto* dry_run = app.add_flag("--dry-run", request.dry_run, "only say which ranks would move where");
  auto* keep_node = app.add_flag("--keep-node", request.keep_node,
                                 "leave the evacuated node in the job of the resource manager (Slurm)");
  auto* timeout =
      app.add_option("--timeout", request.timeout_s, "seconds after which to cancel")->check(wrong_positive_seconds);
  auto* all_jobs = app.add_flag("--all-jobs", command.all_jobs,
                                "with --evacuate: jobs of everybody, also of other machines, as Slurm tells of them");
  auto* why = app.add_option("--why", request.why, "what the owners of the jobs are told of the reason");
  auto* one_job = app.add_option("--job", command.job, "which job, when several are running");
  app.add_flag("--json", request.json, "say it as JSON on standard output");
  RemoteJob remote;
  auto* server = app.add_option("--server", remote.server,
                                "a job elsewhere: https://HOST:PORT, see cppc-run --listen, or slurm:JOBID");
  auto* authority = app.add_option("--ca", remote.authority, "certificates that the server's has to lead to");
  auto* token =
      app.add_option("--token-file", remote.token_file, "a file of mode 0600 with the token that cppc-run has");
  bool by_munge = false;
  auto* munge = app.add_flag("--munge", by_munge, "ask as the user that MUNGE says you are");
  for (auto* subcommand : {status, trace, checkpoint}) subcommand->fallthrough();
  rank->needs(to)->excludes(evacuate);
  keep_node->needs(evacuate);
  avoid->needs(evacuate)->excludes(to);
  add->excludes(evacuate);
  restore->excludes(evacuate)->excludes(add)->excludes(rank);
  all_jobs->needs(evacuate)->excludes(one_job)->excludes(server);
  token->excludes(munge);
  for (auto* option : {rank, evacuate, to, avoid, add, restore, images, dry_run, timeout, why})
    for (auto* subcommand : {status, trace}) subcommand->excludes(option);
  for (auto* option : {rank, evacuate, to, avoid, add, restore, images, dry_run, keep_node})
    checkpoint->excludes(option);
  status->excludes(trace)->excludes(checkpoint);
  trace->excludes(checkpoint);
  try {
    app.parse(argc, argv);
    if (!*status && !*trace && !*checkpoint && !*rank && !*evacuate && !*add && !*restore)
      throw CLI::RequiredError("--rank, --evacuate, --add, --restore, checkpoint, status or trace");
    if (!*server && !*all_jobs)
      for (const auto* option : {authority, token, munge})
        if (*option) throw CLI::RequiresError(option->get_name(), "--server");
    if (*server && !*token && !*munge) throw CLI::RequiredError("--token-file or --munge");
  } catch (const CLI::ParseError& failure) {
    return app.exit(failure) == 0 ? EXIT_SUCCESS : exit_with(Exit::wrong_usage);
  }
  command.status = static_cast<bool>(*status);
  if (*checkpoint) request.checkpoint = *checkpoint_to ? std::filesystem::absolute(directory).string() : "";
  if (*images && !*add && !*restore) return fail(command, Exit::wrong_usage, "--images is for --add and --restore");
  if (*images) request.images = std::filesystem::absolute(image_directory).string();
  if (request.timeout_s)
    command.deadline =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*request.timeout_s));
  const int status_of_work = command.all_jobs ? evacuate_everybodys(command, remote)
                             : *server        ? run_remotely(command, remote)
                                              : run_here(command);
  const bool written = cppc::tools::has_written_output("migrate");
  return status_of_work == EXIT_SUCCESS && !written ? exit_with(Exit::failed) : status_of_work;
}
