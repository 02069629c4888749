/// migrate: moves the ranks of a running job to other nodes.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "request.hpp"
#include "route.hpp"
#include "status.hpp"

namespace cppc::migrate {
namespace {

constexpr const char* footer = R"(Examples:
  migrate status                          which jobs run, and where their ranks are
  migrate --rank 5 --to node2
  migrate --rank 3,5,8 --to node2 --dry-run
  migrate --evacuate node1                moves all its ranks to the other nodes; says when it may be powered off
  migrate --evacuate node1 --to node2,node3 --timeout 30
  migrate --job heat-1f3a5b7d --rank 0 --to node1
  migrate --server https://login1:4711 --ca site.pem --token-file ~/.cppc-token status

Exit status: 0 done, 1 failed and the job goes on as before, 2 wrong usage, 3 refused, 4 the job is damaged, 124 timeout
See also: cppc-run(1))";

int exit_with(Exit how) { return static_cast<int>(how); }

int fail(Exit how, const std::string& reason) {
  std::fprintf(stderr, "migrate: %s\n", reason.c_str());
  return exit_with(how);
}

std::string ids(const std::vector<RunningJob>& jobs) {
  std::string text;
  for (const RunningJob& job : jobs) text += (text.empty() ? "" : ", ") + job.id;
  return text;
}

int show_status(const std::vector<RunningJob>& jobs, bool as_json) {
  if (as_json) {
    nlohmann::json all = nlohmann::json::array();
    for (const RunningJob& job : jobs) all.push_back(job.description);
    std::printf("%s\n", all.dump().c_str());
  } else {
    for (const RunningJob& job : jobs) std::fputs(describe(job).c_str(), stdout);
    if (jobs.empty()) std::puts("no job is running");
  }
  return EXIT_SUCCESS;
}

constexpr int unauthorized = 401;

int run(bool status, const std::string& id, const Request& request, const std::optional<RemoteJob>& remote) {
  Result<std::vector<RunningJob>> jobs;
  if (remote) {
    const auto route = by_network(*remote);
    if (!route) return fail(Exit::wrong_usage, route.error());
    auto job = job_at(*route);
    if (!job && job.error().status == unauthorized) return fail(Exit::refused, remote->server + " does not know you");
    if (!job) return fail(Exit::failed, "no answer from " + remote->server + ": " + job.error().reason);
    jobs->push_back(*std::move(job));
  } else {
    jobs = running_jobs();
  }
  if (!jobs) return fail(Exit::failed, jobs.error());
  if (!id.empty()) {
    std::erase_if(*jobs, [&](const RunningJob& job) { return job.id != id; });
    if (jobs->empty()) return fail(Exit::refused, "there is no job " + id + ", or it has ended");
  }
  if (status) return show_status(*jobs, request.json);
  if (jobs->empty()) return fail(Exit::refused, "no job is running that cppc-run has started on this machine");
  if (jobs->size() > 1)
    return fail(Exit::wrong_usage, "several jobs are running: " + ids(*jobs) + "; choose with --job");
  return exit_with(carry_out(jobs->front(), request));
}

}  // namespace
}  // namespace cppc::migrate

int main(int argc, char** argv) {
  using namespace cppc::migrate;
  std::signal(SIGPIPE, SIG_IGN);  // cppc-run may close a connection before it has been asked anything
  Request request;
  std::string job;
  CLI::App app{"Moves ranks of a running MPI job, started by cppc-run, to other nodes while it works."};
  app.footer(footer);
  app.set_version_flag("--version", "migrate " CPPC_VERSION);
  auto* status = app.add_subcommand("status", "which jobs run, and where their ranks are");
  auto* rank = app.add_option("--rank", request.ranks, "the ranks to move, such as 3,5,8")
                   ->delimiter(',')
                   ->allow_extra_args(false);
  auto* evacuate =
      app.add_option("--evacuate", request.evacuate, "the node whose ranks are all to move; it is given up");
  auto* to = app.add_option("--to", request.to, "the node to move to; several to share the ranks out")
                 ->delimiter(',')
                 ->allow_extra_args(false);
  auto* dry_run = app.add_flag("--dry-run", request.dry_run, "only say which ranks would move where");
  auto* timeout =
      app.add_option("--timeout", request.timeout_s, "seconds after which to cancel")->check(CLI::PositiveNumber);
  app.add_option("--job", job, "which job, when several are running");
  app.add_flag("--json", request.json, "say it as JSON on standard output");
  RemoteJob remote;
  auto* server = app.add_option("--server", remote.server, "a job elsewhere: https://HOST:PORT, see cppc-run --listen");
  auto* authority = app.add_option("--ca", remote.authority, "certificates that the server's has to lead to");
  auto* token =
      app.add_option("--token-file", remote.token_file, "a file of mode 0600 with the token that cppc-run has");
  bool by_munge = false;
  auto* munge = app.add_flag("--munge", by_munge, "ask as the user that MUNGE says you are");
  status->fallthrough();
  rank->needs(to)->excludes(evacuate);
  for (auto* option : {authority, token, munge}) option->needs(server);
  token->excludes(munge);
  for (auto* option : {rank, evacuate, to, dry_run, timeout}) status->excludes(option);
  try {
    app.parse(argc, argv);
    if (!*status && !*rank && !*evacuate) throw CLI::RequiredError("--rank, --evacuate or status");
    if (*server && !*token && !*munge) throw CLI::RequiredError("--token-file or --munge");
  } catch (const CLI::ParseError& failure) {
    return app.exit(failure) == 0 ? EXIT_SUCCESS : exit_with(Exit::wrong_usage);
  }
  return run(static_cast<bool>(*status), job, request, *server ? std::optional(remote) : std::nullopt);
}
