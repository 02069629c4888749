/// Puts the controller's parts together: the relay, the connections to agents and launch agents, the job, and its
/// interface for operators.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "agent_server.hpp"
#include "api.hpp"
#include "checkpoint_disk.hpp"
#include "io_thread.hpp"
#include "job.hpp"
#include "job_events.hpp"
#include "launch_server.hpp"
#include "periodic_checkpoints.hpp"
#include "relay.hpp"
#include "resource_manager/resource_manager.hpp"

namespace cppc::run {

using namespace tools;

class Controller {
 public:
  /// Starts its thread and listens; the sockets of the job are in `directory`. Agents have to know `key`. `manager`,
  /// which has to outlive the controller, is the resource manager that the nodes are from; nullptr: there is none. A
  /// node that has been silent for longer than `silence` is lost.
  static Result<std::unique_ptr<Controller>> start(Job::Description description, const std::string& key,
                                                   const std::filesystem::path& directory,
                                                   const std::optional<NetworkAccess>& network = std::nullopt,
                                                   ResourceManager* manager = nullptr,
                                                   std::chrono::seconds silence = usual_silence);
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  /// Where agents reach it: "address:port,...".
  const std::string& addresses() const { return addresses_; }

  /// Where operators reach it over the network; 0: not at all.
  std::uint16_t network_port() const { return api_->port(); }
  const Result<std::string>& network_url() const { return api_->url(); }

  /// mpirun is this process.
  void started(pid_t mpirun) { mpirun_ = mpirun; }

  /// From now on checkpoints are made, so far apart.
  void save_every(std::chrono::milliseconds interval) {
    periodic_ = std::make_unique<PeriodicCheckpoints>(job_, interval);
  }

  /// mpirun has ended with this exit status. Returns the job's, when operators who were waiting have been told.
  int ended(int status);
  /// Whether the job had to be ended since a migration could not be completed nor undone.
  bool damaged() const { return damaged_; }
  /// Nodes that have been silent for too long.
  std::set<std::string> silent_nodes() const;

 private:
  Controller(std::unique_ptr<IoThread> io, Job::Description description, ResourceManager* manager,
             std::chrono::seconds silence);
  Job::Requests requests();
  Result<void> listen(const std::string& key, const std::filesystem::path& directory,
                      const std::optional<NetworkAccess>& network);
  void await_exit(int agent);
  void release(int agent, bool keep);
  void end_job();
  bool spare(const std::string& node, bool silent);
  void complete();
  void publish_soon();
  void tick();
  void post(std::function<void()> function);
  void after(std::chrono::milliseconds delay, std::function<void()> function);

  std::atomic<pid_t> mpirun_{-1};
  std::atomic<bool> damaged_{false};    // the job had to be ended
  std::atomic<bool> completed_{false};  // mpirun has been told of a lost node when every rank had ended
  std::unique_ptr<IoThread> io_;
  ResourceManager* manager_;
  CheckpointDisk disk_;
  Job job_;
  JobEvents events_;
  std::atomic<bool> publishes_soon_{false};
  std::chrono::milliseconds publishing_took_{0};
  Relay relay_;
  mutable std::mutex silent_mutex_;
  std::set<std::string> silent_;
  std::unique_ptr<LaunchServer> launch_server_;
  std::unique_ptr<AgentServer> agent_server_;
  std::string addresses_;
  std::unique_ptr<Api> api_;
  std::unique_ptr<PeriodicCheckpoints> periodic_;
  int ticks_ = 0;
  std::jthread release_;  // waits for the resource manager
};

}  // namespace cppc::run
