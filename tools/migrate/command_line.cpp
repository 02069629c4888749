#include "command_line.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "../common/option_values.hpp"

namespace cppc::migrate {

using tools::wrong_name, tools::wrong_positive_seconds, tools::wrong_whole_number;

namespace {

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

}  // namespace

int fail(const Command& command, Exit how, const std::string& reason) {
  if (command.request.json) print_json({{"error", reason}});
  complain(reason);
  return exit_with(how);
}

CommandLine::CommandLine()
    : app_(
          "Moves ranks of a running MPI job, started by cppc-run, to other nodes while it works, or saves all of "
          "them.") {
  app_.footer(footer);
  app_.set_version_flag("--version", "migrate " CPPC_VERSION);
  add_subcommands();
  add_moves();
  add_manner();
  add_access();
  exclude();
}

void CommandLine::add_subcommands() {
  status_ = app_.add_subcommand("status", "which jobs run, and where their ranks are");
  trace_ = app_.add_subcommand("trace", "a migration on a timeline, as JSON in Chrome's trace format");
  trace_->add_option("ID", command_.traced, "the number of the migration")->required()->check(wrong_whole_number);
  checkpoint_ = app_.add_subcommand("checkpoint", "write images of all ranks, which work on meanwhile, to files");
  checkpoint_to_ = checkpoint_->add_option(
      "--to", checkpoint_directory_,
      "a directory that all nodes see, or only that of cppc-run (as cppc-run --checkpoint-to says); it gets one of its "
      "own there");
  for (auto* subcommand : {status_, trace_, checkpoint_}) subcommand->fallthrough();
}

/// What is to go where.
void CommandLine::add_moves() {
  Request& request = command_.request;
  rank_ = app_.add_option("--rank", request.ranks, "the ranks to move, such as 3,5,8")
              ->delimiter(',')
              ->allow_extra_args(false)
              ->check(wrong_whole_number);
  evacuate_ =
      app_.add_option("--evacuate", request.evacuate, "the node whose ranks, of all jobs, are to move; it is given up");
  to_ = app_.add_option("--to", request.to, "the node to move to; several to share the ranks out")
            ->delimiter(',')
            ->allow_extra_args(false);
  avoid_ = app_.add_option("--avoid", request.avoid, "nodes that no rank is to go to when a node is evacuated")
               ->delimiter(',')
               ->allow_extra_args(false);
  add_ = app_.add_option("--add", request.add,
                         "nodes that the job is to have, as --host names them; --rank and --to, if some are to "
                         "be there at once")
             ->delimiter(',')
             ->allow_extra_args(false);
  restore_ = app_.add_option("--restore", request.restore, "the node that all ranks which have left it go back to");
  images_ = app_.add_option("--images", image_directory_,
                            "for --add and --restore: a directory that all nodes see, for images of all ranks; "
                            "without it they are in the memory of the nodes, or in an allocation of a resource "
                            "manager where cppc-run --checkpoint-to says");
  for (auto* option : {evacuate_, to_, avoid_, add_, restore_}) option->check(wrong_name);
}

/// How, and of which jobs.
void CommandLine::add_manner() {
  Request& request = command_.request;
  dry_run_ = app_.add_flag("--dry-run", request.dry_run, "only say which ranks would move where");
  keep_node_ = app_.add_flag("--keep-node", request.keep_node,
                             "leave the evacuated node in the job of the resource manager (Slurm)");
  timeout_ =
      app_.add_option("--timeout", request.timeout_s, "seconds after which to cancel")->check(wrong_positive_seconds);
  all_jobs_ = app_.add_flag("--all-jobs", command_.all_jobs,
                            "with --evacuate: jobs of everybody, also of other machines, as Slurm tells of them");
  why_ = app_.add_option("--why", request.why, "what the owners of the jobs are told of the reason");
  job_ = app_.add_option("--job", command_.job, "which job, when several are running");
  app_.add_flag("--json", request.json, "say it as JSON on standard output");
}

void CommandLine::add_access() {
  server_ = app_.add_option("--server", remote_.server,
                            "a job elsewhere: https://HOST:PORT, see cppc-run --listen, or slurm:JOBID");
  authority_ = app_.add_option("--ca", remote_.authority, "certificates that the server's has to lead to");
  token_ = app_.add_option("--token-file", remote_.token_file, "a file of mode 0600 with the token that cppc-run has");
  munge_ = app_.add_flag("--munge", by_munge_, "ask as the user that MUNGE says you are");
}

/// Which options need others, or are no use with them.
void CommandLine::exclude() {
  rank_->needs(to_)->excludes(evacuate_);
  keep_node_->needs(evacuate_);
  avoid_->needs(evacuate_)->excludes(to_);
  add_->excludes(evacuate_);
  restore_->excludes(evacuate_)->excludes(add_)->excludes(rank_);
  all_jobs_->needs(evacuate_)->excludes(job_)->excludes(server_);
  token_->excludes(munge_);
  for (auto* option : {rank_, evacuate_, to_, avoid_, add_, restore_, images_, dry_run_, timeout_, why_})
    for (auto* subcommand : {status_, trace_}) subcommand->excludes(option);
  for (auto* option : {rank_, evacuate_, to_, avoid_, add_, restore_, images_, dry_run_, keep_node_})
    checkpoint_->excludes(option);
  status_->excludes(trace_)->excludes(checkpoint_);
  trace_->excludes(checkpoint_);
}

/// What CLI11 cannot say; throws as it does.
void CommandLine::check() const {
  if (!*status_ && !*trace_ && !*checkpoint_ && !*rank_ && !*evacuate_ && !*add_ && !*restore_)
    throw CLI::RequiredError("--rank, --evacuate, --add, --restore, checkpoint, status or trace");
  if (!*server_ && !*all_jobs_)
    for (const auto* option : {authority_, token_, munge_})
      if (*option) throw CLI::RequiresError(option->get_name(), "--server");
  if (*server_ && !*token_ && !*munge_) throw CLI::RequiredError("--token-file or --munge");
}

std::optional<int> CommandLine::parse(int argc, char** argv) {
  try {
    app_.parse(argc, argv);
    check();
  } catch (const CLI::ParseError& failure) {
    return app_.exit(failure) == 0 ? EXIT_SUCCESS : exit_with(Exit::wrong_usage);
  }
  return complete();
}

/// The path from the root; empty: of a relative one that is not known, as the working directory has been removed.
std::string from_root(const std::string& directory) {
  std::error_code removed;
  const std::filesystem::path path = std::filesystem::absolute(directory, removed);
  return removed ? "" : path.string();
}

/// What the options do not set themselves.
std::optional<int> CommandLine::complete() {
  Request& request = command_.request;
  command_.status = static_cast<bool>(*status_);
  if (*checkpoint_to_ && checkpoint_directory_.empty())
    return fail(command_, Exit::wrong_usage, "--to needs the name of a directory");
  if (*images_ && image_directory_.empty())
    return fail(command_, Exit::wrong_usage, "--images needs the name of a directory");
  if (*checkpoint_) request.checkpoint = *checkpoint_to_ ? from_root(checkpoint_directory_) : "";
  if (*images_ && !*add_ && !*restore_) return fail(command_, Exit::wrong_usage, "--images is for --add and --restore");
  if (*images_) request.images = from_root(image_directory_);
  if ((*checkpoint_to_ && request.checkpoint->empty()) || (*images_ && request.images.empty()))
    return fail(command_, Exit::wrong_usage,
                "the working directory is not there any more: name the directory from the root");
  if (request.timeout_s)
    command_.deadline =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*request.timeout_s));
  return std::nullopt;
}

}  // namespace cppc::migrate
