/// Emulated clusters and jobs on them, for end-to-end tests and benchmarks.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "process.hpp"

namespace cppc::test {

/// A cluster of its own, gone with this object, or with this process.
class Cluster {
 public:
  explicit Cluster(int nodes, const std::vector<std::string>& options = {});
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  ~Cluster();

  [[nodiscard]] Process start(const std::string& node, const std::vector<std::string>& command) const;
  [[nodiscard]] Finished run(const std::string& node, const std::vector<std::string>& command) const;
  [[nodiscard]] const std::string& name() const { return name_; }
  void off(const std::string& node) const;
  void on(const std::string& node) const;
  /// Lets nothing through between these nodes, and lets it through again.
  void cut(const std::string& one, const std::string& other) const;
  void heal(const std::string& one, const std::string& other) const;
  /// Process ids on `node` whose program is `program` (a path), as the node sees them.
  [[nodiscard]] std::vector<pid_t> processes(const std::string& node, const std::filesystem::path& program) const;

 private:
  std::string name_;
};

/// A directory for the files of one test, seen by all nodes, removed at the end.
class Folder {
 public:
  Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder();
  [[nodiscard]] std::string file(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// Programs of this build.
std::string tool(const std::string& name);
/// Runs an MPI program as one rank, without mpirun, with these settings on top of the environment.
Finished run_alone(const std::vector<std::string>& command, std::vector<std::string> settings);
/// The setting by which a program loads one of the extensions of this folder.
std::string with_extension(const std::string& name);
/// One of the libraries of this folder that programs preload.
std::string library(const std::string& name);
/// Those of tests/apps as `variant` of tests/apps/movable.cmake: movable, with their state kept by address; movable,
/// with it kept by types; plain.
std::string app(const std::string& name, const std::string& variant = "gcc-O2");
std::string portable_app(const std::string& name, const std::string& variant = "gcc-O2");
std::string plain_app(const std::string& name, const std::string& variant = "gcc-O2");
/// For mpirun's plm_rsh_agent.
std::string remote_shell();

/// A program under cppc-run on the cluster's head.
class Job {
 public:
  /// `placement`: cppc-run's options, as {"-H", "node0:2,node1:2", "-n", "4"}, its own first; `settings`: of cppc-run's
  /// environment; `cppc_run` may be another one than that of this build.
  Job(const Cluster& cluster, const std::vector<std::string>& placement, const std::vector<std::string>& program,
      const std::vector<std::string>& settings = {}, const std::string& cppc_run = tool("cppc-run"));

  /// `migrate` with these arguments; for this job, if await_running() has found it.
  [[nodiscard]] Finished migrate(const std::vector<std::string>& arguments) const;
  [[nodiscard]] Process start_migrate(const std::vector<std::string>& arguments) const;
  /// What `migrate status --json` says of the only job that runs this program; null when there is none.
  [[nodiscard]] nlohmann::json status() const;
  /// Waits until all ranks are there.
  void await_running();
  /// Ends it as a user does who ends its cppc-run; its end is not waited for.
  void end() const;
  /// Its cppc-run, in an instant.
  void kill() const;
  /// Has another cppc-run take it up, after that; process() is this one then.
  void resume();
  /// Node of a rank, now.
  [[nodiscard]] std::string node_of(int rank) const;
  [[nodiscard]] Process& process() { return *process_; }
  Finished wait(std::chrono::seconds limit = std::chrono::seconds(300)) { return process_->wait(limit); }

 private:
  const Cluster* cluster_;
  std::string program_;
  std::vector<std::string> settings_;
  std::optional<Process> process_;
  std::string id_;
};

}  // namespace cppc::test
