#include "job.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <thread>

namespace cppc::test {
namespace {

const std::string kClusterScript = CPPC_SOURCE_DIR "/tests/cluster/cluster";

void expect_success(const Finished& finished, const std::string& what) {
  if (finished.status == 0) return;
  std::fprintf(stderr, "%s: status %d\n%s%s", what.c_str(), finished.status, finished.output.c_str(),
               finished.errors.c_str());
  std::exit(1);
}

std::vector<std::string> run_command(const std::vector<std::string>& placement, const std::vector<std::string>& program,
                                     const std::vector<std::string>& settings, const std::string& cppc_run) {
  std::vector<std::string> command{"env"};
  command.insert(command.end(), settings.begin(), settings.end());
  command.push_back(cppc_run);
  command.insert(command.end(), placement.begin(), placement.end());
  command.insert(command.end(), {"--mca", "plm_rsh_agent", remote_shell()});
  command.insert(command.end(), program.begin(), program.end());
  return command;
}

}  // namespace

std::string tool(const std::string& name) { return CPPC_BINARY_DIR "/bin/" + name; }

Finished run_alone(const std::vector<std::string>& command, std::vector<std::string> settings) {
  // Isolated: no daemon is started beside it, which would tidy up behind the back of the next program. Windows as those
  // of cppc-run: without mpirun, osc/rdma makes none. Isolated programs have the same folder in that for temporary
  // files, which is each one's own here: others may run at the same time.
  const Folder temporary;
  settings.insert(settings.end(),
                  {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_ess_singleton_isolated=1",
                   "OMPI_MCA_osc=^rdma,ucx", "OMPI_MCA_orte_tmpdir_base=" + temporary.file("")});
  return Process(command, settings).wait();
}

std::string with_extension(const std::string& name) { return "CPPC_EXTENSION=" + library(name); }

std::string library(const std::string& name) { return CPPC_BINARY_DIR "/lib/" + name + ".so"; }

std::string app(const std::string& name, const std::string& variant) { return tool("movable/" + variant + "/" + name); }

std::string portable_app(const std::string& name, const std::string& variant) {
  return tool("portable/" + variant + "/" + name);
}

std::string plain_app(const std::string& name, const std::string& variant) {
  return tool("plain/" + variant + "/" + name);
}

std::string remote_shell() { return CPPC_SOURCE_DIR "/tests/cluster/rsh"; }

Cluster::Cluster(int nodes, const std::vector<std::string>& options) {
  std::vector<std::string> command{kClusterScript, "up", std::to_string(nodes), "--owner", std::to_string(getpid())};
  command.insert(command.end(), options.begin(), options.end());
  const Finished up = test::run(command);
  expect_success(up, "cannot start an emulated cluster");
  name_ = up.output.substr(0, up.output.find('\n'));
}

Cluster::~Cluster() { test::run({kClusterScript, "down", "--name", name_}); }

Process Cluster::start(const std::string& node, const std::vector<std::string>& command) const {
  // Without XDG_RUNTIME_DIR jobs are found by the cluster's own /tmp: those of other clusters are not seen.
  std::vector<std::string> whole{kClusterScript, "exec", node, "--name", name_, "--", "env", "-u", "XDG_RUNTIME_DIR"};
  whole.insert(whole.end(), command.begin(), command.end());
  return Process(whole);
}

Finished Cluster::run(const std::string& node, const std::vector<std::string>& command) const {
  return start(node, command).wait();
}

void Cluster::off(const std::string& node) const {
  expect_success(test::run({kClusterScript, "off", node, "--name", name_}), "cannot power " + node + " off");
}

void Cluster::on(const std::string& node) const {
  expect_success(test::run({kClusterScript, "on", node, "--name", name_}), "cannot power " + node + " on");
}

void Cluster::cut(const std::string& one, const std::string& other) const {
  expect_success(test::run({kClusterScript, "cut", one, other, "--name", name_}),
                 "cannot cut " + one + " off " + other);
}

void Cluster::heal(const std::string& one, const std::string& other) const {
  expect_success(test::run({kClusterScript, "heal", one, other, "--name", name_}), "cannot heal " + one + ", " + other);
}

std::vector<pid_t> Cluster::processes(const std::string& node, const std::filesystem::path& program) const {
  const std::string script =
      "for p in /proc/[0-9]*; do [ \"$(readlink $p/exe)\" = \"$1\" ] && echo ${p#/proc/}; done; true";
  const Finished found = run(node, {"sh", "-c", script, "sh", std::filesystem::canonical(program)});
  expect_success(found, "cannot look at the processes of " + node);
  std::vector<pid_t> processes;
  std::istringstream lines(found.output);
  for (pid_t id = 0; lines >> id;) processes.push_back(id);
  return processes;
}

Folder::Folder() {
  std::string pattern = CPPC_BINARY_DIR "/test-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) std::perror(pattern.c_str());
  path_ = pattern;
}

Folder::~Folder() { std::filesystem::remove_all(path_); }

Job::Job(const Cluster& cluster, const std::vector<std::string>& placement, const std::vector<std::string>& program,
         const std::vector<std::string>& settings, const std::string& cppc_run)
    : cluster_(&cluster),
      program_(program.front()),
      settings_(settings),
      process_(cluster.start("head", run_command(placement, program, settings, cppc_run))) {}

Finished Job::migrate(const std::vector<std::string>& arguments) const { return start_migrate(arguments).wait(); }

Process Job::start_migrate(const std::vector<std::string>& arguments) const {
  std::vector<std::string> command{tool("migrate")};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const bool names_one = std::ranges::find(arguments, "--job") != arguments.end();
  if (!id_.empty() && !names_one) command.insert(command.end(), {"--job", id_});
  return cluster_->start("head", command);
}

nlohmann::json Job::status() const {
  const Finished answer = migrate({"status", "--json"});
  if (answer.status != 0) return {};
  auto jobs = nlohmann::json::parse(answer.output);
  std::erase_if(jobs.get_ref<nlohmann::json::array_t&>(),
                [this](const nlohmann::json& job) { return job.value("program", "") != program_; });
  return jobs.size() == 1 ? jobs.front() : nlohmann::json();
}

void Job::await_running() {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(5);
  while (process_->running() && std::chrono::steady_clock::now() < deadline) {
    const auto job = status();
    if (job.is_object() && job.value("state", "") == "running") {
      id_ = job.value("job", "");
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  process_->signal(SIGKILL);
  expect_success(process_->wait(), "the job has not come up");
}

void Job::end() const {
  const int process = status().value("pid", 0);
  expect_success(cluster_->run("head", {"kill", "-TERM", std::to_string(process)}), "cannot end the job");
}

void Job::kill() const {
  const int process = status().value("pid", 0);
  expect_success(cluster_->run("head", {"kill", "-KILL", std::to_string(process)}), "cannot kill the job");
}

void Job::resume() {
  std::vector<std::string> command{"env"};
  command.insert(command.end(), settings_.begin(), settings_.end());
  command.insert(command.end(), {tool("cppc-run"), "--resume", id_});
  process_.emplace(cluster_->start("head", command));
}

std::string Job::node_of(int rank) const {
  for (const auto& one : status().value("ranks", nlohmann::json::array()))
    if (one.value("rank", -1) == rank) return one.value("node", "");
  return "";
}

}  // namespace cppc::test
