#include "controller.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <future>
#include <iterator>

#include "../common/job_directory.hpp"
#include "cppc/deadlines.hpp"
#include "keepers.hpp"

namespace cppc::run {
namespace {

using tools::error;

// mpirun hears of an agent's exit from the node's daemon right after the agent's connection has been closed. Should
// that message have been faster, nothing more may come for long.
constexpr std::chrono::seconds daemons_timeout{1};

// Until mpirun is told that a node is lost, when not all agents have ended their ranks as they were told.
constexpr std::chrono::milliseconds lost_job_timeout{250}, between_looks{10};

constexpr std::chrono::milliseconds between_events{50};
constexpr int ticks_between_beats = 10;

constexpr int job_damaged = 4;
constexpr int daemon_lost = 205;  // of mpirun: ORTE_ERR_COMM_FAILURE

}  // namespace

Controller::Controller(std::unique_ptr<IoThread> io, Job::Description description, std::filesystem::path directory,
                       ResourceManager* manager, std::chrono::milliseconds silence)
    : io_(std::move(io)),
      directory_(std::move(directory)),
      manager_(manager),
      silence_(silence),
      job_(std::move(description), requests()),
      events_(job_) {}

Result<std::unique_ptr<Controller>> Controller::start(Job::Description description, const std::string& key,
                                                      const std::filesystem::path& directory,
                                                      const std::optional<NetworkAccess>& network,
                                                      ResourceManager* manager, std::chrono::milliseconds silence,
                                                      RequestRules rules) {
  auto io = IoThread::create();
  if (!io) return error(std::move(io).error());
  const std::vector<AllocatedNode> nodes = description.nodes;
  std::unique_ptr<Controller> controller(
      new Controller(*std::move(io), std::move(description), directory, manager, silence));
  controller->tick();
  controller->io_->start();
  if (const auto begun = controller->begin(nodes, key); !begun) return error(begun.error());
  auto api = Api::serve(controller->io_->context(), controller->job_, controller->events_.log(),
                        tools::api_socket(directory, controller->job_.description().id), network, std::move(rules));
  if (!api) return error(std::move(api).error());
  controller->api_ = *std::move(api);
  return controller;
}

Result<void> Controller::begin(const std::vector<AllocatedNode>& nodes, const std::string& key) {
  release_ = {};
  damaged_ = completed_ = false;
  std::promise<Result<void>> begun;
  post([&] { begun.set_value(listen(nodes, key)); });
  return begun.get_future().get();
}

Result<void> Controller::listen(const std::vector<AllocatedNode>& nodes, const std::string& key) {
  agent_server_.reset();
  launch_server_.reset();
  relay_.reset();
  {
    const std::lock_guard lock(nodes_mutex_);
    silent_.clear();
    evacuated_.clear();
  }
  ++runs_;
  job_.begin_again(nodes);
  relay_ = std::make_unique<Relay>(io_->context(), silence_,
                                   [this](const std::string& node, bool silent) { return spare(node, silent); });
  auto launch_server =
      LaunchServer::create(io_->context(), *relay_, tools::launch_socket(directory_, job_.description().id));
  if (!launch_server) return error(std::move(launch_server).error());
  launch_server_ = *std::move(launch_server);
  const Reach reach =
      std::ranges::all_of(nodes, [this](const AllocatedNode& node) { return node.name == job_.description().own_node; })
          ? Reach::machine
          : Reach::network;
  auto listener = listen_on_tcp(io_->context(), reach);
  if (!listener) return error(std::move(listener).error());
  addresses_ = reachable_at(listener->port, reach);
  agent_server_ = std::make_unique<AgentServer>(
      *std::move(listener), key, static_cast<int>(nodes.size()),
      AgentServer::Events{.joined =
                              [this](const wire::Hello& hello) {
                                relay_->complete(job_.description().nodes[hello.agent].name);
                                job_.joined(hello);
                                clean_up(hello);
                              },
                          .received = [this](const wire::Message& message) { job_.received(message); },
                          .left = [this](int agent) { job_.left(agent); },
                          .gone =
                              [this](int agent, bool clean) {
                                job_.gone(agent, clean);
                                if (!clean) watch_abort();
                              }});
  return {};
}

// Whatever way an mpirun has ended in: its daemons may have had no time to.
void Controller::clean_up(const wire::Hello& hello) {
  wire::RemoveRemains remains;
  std::ranges::copy_if(mpiruns_, std::back_inserter(remains.mpiruns), [&](int one) { return one != hello.mpirun; });
  if (!remains.mpiruns.empty()) agent_server_->send(hello.agent, remains);
  if (hello.mpirun != 0) mpiruns_.insert(hello.mpirun);
}

Controller::~Controller() {
  periodic_.reset();
  release_ = {};
  post([this] {
    events_.publish();  // the job's end
    events_.log().close();
  });
  api_.reset();
  io_->stop();
}

// The job calls these while it is locked, on any thread; on that of io_ they may take their time.
Job::Requests Controller::requests() {
  Job::Requests requests{
      .send =
          [this](int agent, const wire::Message& message) {
            post([this, agent, message] { agent_server_->send(agent, message); });
          },
      .give_up = [this](int agent) { post([this, agent] { give_up(agent); }); },
      .await_exit = [this](int agent) { post([this, agent] { vacate(agent); }); },
      .dismiss = [this] { post([this] { agent_server_->dismiss(); }); },
      .drop = [this](int agent) { post([this, agent] { agent_server_->drop(agent); }); },
      .end = [this] { end_job(); },
      .over = [this](bool orderly) { post([this, orderly] { relay_->over(orderly); }); },
      .complete = [this] { post([this] { after_in_this_run(daemons_timeout, [this] { complete(); }); }); }};
  requests.changed = [this] { publish_soon(); };
  requests.store = [this](const Migration& migration) {
    storage_.store(job_.description(), migration,
                   [this, id = migration.id](const Result<void>& result) { job_.stored(id, result); });
  };
  requests.discard = [this](const checkpoint::Draft& draft) { storage_.discard(job_.description(), draft); };
  if (manager_ != nullptr)
    requests.release = [this](int agent, bool keep) { post([this, agent, keep] { release(agent, keep); }); };
  return requests;
}

// One after the other, as migrations are: the thread of the one before has nothing left to do.
void Controller::release(int agent, bool keep) {
  const std::string node = job_.description().nodes[agent].name;
  release_ = std::jthread([this, agent, node, keep](const std::stop_token& stop) {
    job_.released(agent,
                  keep ? manager_->keep("as was asked for") : manager_->release(node, job_.description().id, stop));
  });
}

bool Controller::spare(const std::string& node, bool silent) {
  if (silent) {
    const std::lock_guard lock(nodes_mutex_);
    silent_.insert(node);
  }
  const auto& nodes = job_.description().nodes;
  const auto found = std::ranges::find(nodes, node, &AllocatedNode::name);
  if (found == nodes.end()) return false;
  if (job_.spare(static_cast<int>(found - nodes.begin()))) return true;
  if (!silent || !job_.description().recovers) return false;
  end_run(static_cast<int>(found - nodes.begin()));
  return true;  // mpirun hears of it when the others have ended
}

// The job is lost, and goes on under another mpirun. This one would have its daemons wait for two seconds between
// signals for ranks, which their agents end at once. So it hears nothing of that, and loses its daemons.
void Controller::end_run(int lost) {
  relay_->withhold(true);
  bool all_told = true;
  for (int agent = 0; agent < static_cast<int>(job_.description().nodes.size()); ++agent) {
    all_told = all_told && (agent == lost || agent_server_->connected(agent));
    agent_server_->send(agent, wire::End{});
  }
  if (all_told) return await_ends(lost, lost_job_timeout / between_looks);
  after_in_this_run(lost_job_timeout, [this] { leave_ends_to_mpirun(); });
}

// An agent that has gone has ended its ranks.
void Controller::await_ends(int lost, int looks) {
  bool all_gone = true;
  for (int agent = 0; agent < static_cast<int>(job_.description().nodes.size()); ++agent)
    all_gone = all_gone && (agent == lost || !agent_server_->connected(agent));
  if (all_gone) return relay_->part();
  if (looks == 0) return leave_ends_to_mpirun();
  after_in_this_run(between_looks, [this, lost, looks] { await_ends(lost, looks - 1); });
}

// Ranks whose agent has not ended them have to end before the next mpirun starts.
void Controller::leave_ends_to_mpirun() {
  relay_->over(/*orderly=*/false);
  relay_->withhold(false);
}

// By then mpirun knows how the ranks have ended; if one has failed, it is ending the job already.
void Controller::complete() {
  if (completed_.exchange(true)) return;
  spdlog::warn("every rank has ended; mpirun, which still waits for a node that is lost, is told so now");
  relay_->over(/*orderly=*/false);
}

void Controller::give_up(int agent) {
  const std::string& node = job_.description().nodes[agent].name;
  relay_->evacuated(node);
  const std::lock_guard lock(nodes_mutex_);
  evacuated_.insert(node);
}

// Images on a node that leaves the job go first.
void Controller::vacate(int agent) {
  Keepers* const keepers = job_.description().keepers;
  if (keepers == nullptr) return await_exit(agent);
  storage_.then([this, agent, keepers, node = job_.description().nodes[agent].name, run = runs_] {
    keepers->vacate(node);
    post([this, agent, run] {
      if (run == runs_) await_exit(agent);
    });
  });
}

void Controller::await_exit(int agent) {
  relay_->when_received(job_.description().nodes[agent].name, [this, agent] { job_.retired(agent); });
  after_in_this_run(daemons_timeout, [this, agent] { job_.retired(agent); });
}

void Controller::end_job() {
  damaged_ = true;
  if (mpirun_ > 0) kill(mpirun_, SIGTERM);
  watch_end();
}

void Controller::expect_end() {
  post([this] { watch_end(); });
}

// The job is lost when nobody is left of it, and goes on under another mpirun once this one has ended.
void Controller::watch_abort() {
  if (job_.description().recovers && !agent_server_->any_connected()) watch_end();
}

// PMIx 4.2 may wait for itself when mpirun ends while connections to it break.
void Controller::watch_end() {
  after_in_this_run(deadlines::leave(), [this, alone = !agent_server_->any_connected()] {
    if (mpirun_ <= 0) return;
    if (!alone || agent_server_->any_connected()) return watch_end();
    spdlog::error("mpirun (process {}) has to end, no agent is left, and it goes on: it is killed", mpirun_.load());
    kill(mpirun_, SIGKILL);
  });
}

void Controller::post(std::function<void()> function) { run::post(io_->context(), std::move(function)); }

void Controller::after(std::chrono::milliseconds delay, std::function<void()> function) {
  run::after(io_->context(), delay, std::move(function));
}

void Controller::after_in_this_run(std::chrono::milliseconds delay, std::function<void()> function) {
  after(delay, [this, run = runs_, function = std::move(function)] {
    if (run == runs_) function();
  });
}

// What changes together is told together. In a job of thousands of nodes that takes its time, but never most of it.
void Controller::publish_soon() {
  if (publishes_soon_.exchange(true)) return;
  post([this] {
    after(std::max(between_events, 10 * publishing_took_), [this] {
      publishes_soon_ = false;
      const auto began = std::chrono::steady_clock::now();
      events_.publish();
      publishing_took_ = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
    });
  });
}

void Controller::tick() {
  job_.tick();
  if (++ticks_ % ticks_between_beats == 0) events_.log().beat();
  after(std::chrono::seconds(1), [this] { tick(); });
}

JobEnd Controller::run_ended(int status, bool stop_requested) {
  mpirun_ = -1;
  stop_requested_ = stop_requested;
  Keepers* const keepers = job_.description().keepers;
  const auto nodes = [this](const std::set<std::string>& these) {
    const std::lock_guard lock(nodes_mutex_);
    return these;
  };
  if (keepers != nullptr) keepers->lose(nodes(silent_));
  storage_.settle();  // what is complete counts
  return {damaged_                              ? job_damaged
          : completed_ && status == daemon_lost ? EXIT_SUCCESS
                                                : status,
          damaged_,
          stop_requested,
          nodes(silent_),
          job_.relocation(),
          nodes(evacuated_),
          job_.state() != Job::State::starting};
}

void Controller::ended(int status) {
  job_.ended(status, stop_requested_);
  job_.await_watchers();
  storage_.settle();
}

}  // namespace cppc::run
