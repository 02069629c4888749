/// Puts the controller's parts together: the job and its interface for operators, which stay as long as the job does,
/// and the relay and the connections to agents and launch agents, which are made anew for each mpirun.
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
#include "checkpoint_storage.hpp"
#include "io_thread.hpp"
#include "job.hpp"
#include "job_events.hpp"
#include "launch_server.hpp"
#include "periodic_checkpoints.hpp"
#include "recovery.hpp"
#include "relay.hpp"
#include "resource_manager/resource_manager.hpp"

namespace cppc::run {

using namespace tools;

class Controller {
 public:
  /// Starts its thread, serves operators, and listens as begin() says; the sockets of the job are in `directory`.
  /// `manager`, which has to outlive the controller, is the resource manager that the nodes are from; nullptr: there is
  /// none. A node that has been silent for longer than `silence` is lost.
  static Result<std::unique_ptr<Controller>> start(Job::Description description, const std::string& key,
                                                   const std::filesystem::path& directory,
                                                   const std::optional<NetworkAccess>& network = std::nullopt,
                                                   ResourceManager* manager = nullptr,
                                                   std::chrono::milliseconds silence = usual_silence,
                                                   RequestRules rules = {});
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  /// Before each further mpirun: listens for its agents, one on each of these nodes, which have to know `key`.
  Result<void> begin(const std::vector<AllocatedNode>& nodes, const std::string& key);

  /// Where agents reach it then: "address:port,...".
  const std::string& addresses() const { return addresses_; }

  /// Where operators reach it over the network; 0: not at all.
  std::uint16_t network_port() const { return api_->port(); }
  const Result<std::string>& network_url() const { return api_->url(); }

  /// The next mpirun starts the job from this set of images, which goes when all ranks work; 0: from none such.
  void starts_from(std::uint64_t set) { job_.starts_from(set); }

  /// mpirun is this process.
  void started(pid_t mpirun) { mpirun_ = mpirun; }

  /// mpirun has been told to end. If it does not, it is killed some time after the last agent has gone. Thread-safe.
  void expect_end();

  /// From now on checkpoints are made, so far apart.
  void save_every(std::chrono::milliseconds interval) {
    periodic_ = std::make_unique<PeriodicCheckpoints>(job_, interval);
  }

  /// mpirun has ended with this exit status; checkpoints that are complete count.
  JobEnd run_ended(int status, bool stop_requested);
  /// Then: it goes on as JobEnd::relocation says; or it cannot start there, for this reason, ...
  void relocation_failed(const std::string& reason) { job_.relocation_failed(reason); }
  /// ... or it is going to be started again ...
  void interrupted(const std::string& reason) { job_.interrupted(reason); }
  /// ... with its ranks there, as Job::places_on() says ...
  std::vector<std::string> places_on(const std::vector<AllocatedNode>& nodes) const { return job_.places_on(nodes); }
  /// ... or that was the end, with this status of the job's. Waits until operators who were waiting have been told.
  void ended(int status);

 private:
  Controller(std::unique_ptr<IoThread> io, Job::Description description, std::filesystem::path directory,
             ResourceManager* manager, std::chrono::milliseconds silence);
  Job::Requests requests();
  Result<void> listen(const std::vector<AllocatedNode>& nodes, const std::string& key);
  void clean_up(const wire::Hello& hello);
  void give_up(int agent);
  void await_exit(int agent);
  void vacate(int agent);
  void release(int agent, bool keep);
  void end_job();
  void watch_abort();
  void watch_end();
  bool spare(const std::string& node, bool silent);
  void end_run(int lost);
  void await_ends(int lost, int looks);
  void leave_ends_to_mpirun();
  void complete();
  void publish_soon();
  void tick();
  void post(std::function<void()> function);
  void after(std::chrono::milliseconds delay, std::function<void()> function);
  void after_in_this_run(std::chrono::milliseconds delay, std::function<void()> function);

  std::atomic<pid_t> mpirun_{-1};
  std::atomic<bool> damaged_{false};    // the job had to be ended
  bool stop_requested_ = false;         // by a signal to cppc-run
  std::atomic<bool> completed_{false};  // mpirun has been told of a lost node when every rank had ended
  std::unique_ptr<IoThread> io_;
  const std::filesystem::path directory_;
  ResourceManager* manager_;
  const std::chrono::milliseconds silence_;
  CheckpointStorage storage_;
  Job job_;
  JobEvents events_;
  std::atomic<bool> publishes_soon_{false};
  std::chrono::milliseconds publishing_took_{0};
  int runs_ = 0;                  // of mpirun
  std::set<int> mpiruns_;         // all of them, by Hello::mpirun
  std::unique_ptr<Relay> relay_;  // from here on those of the present run
  std::mutex nodes_mutex_;
  std::set<std::string> silent_, evacuated_;
  std::unique_ptr<LaunchServer> launch_server_;
  std::unique_ptr<AgentServer> agent_server_;
  std::string addresses_;
  std::unique_ptr<Api> api_;
  std::unique_ptr<PeriodicCheckpoints> periodic_;
  int ticks_ = 0;
  std::jthread release_;  // waits for the resource manager
};

}  // namespace cppc::run
