/// The job as operators see it, and its queue of migrations, which are carried out one after the other.
/// Thread-safe: agents speak to it on the thread that runs its io_context, operators on those of the HTTP server.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "allocation.hpp"
#include "cppc/plan.hpp"
#include "cppc/wire.hpp"
#include "execution.hpp"
#include "migration.hpp"
#include "picture.hpp"
#include "resource_manager/release.hpp"

namespace cppc::run {

class Keepers;

class Job {
 public:
  static constexpr std::size_t most_detailed = 50;  ///< migrations and checkpoints

  /// finishing: every rank has finished, and the agents know.
  enum class State { starting, running, finishing, ended };

  struct Description {
    std::string id;
    std::string program;
    std::vector<AllocatedNode> nodes;  ///< by agent; only for the thread that the agents' connections are on
    std::string own_node;              ///< the name of the machine that cppc-run and mpirun are on
    std::string allocation = {};       ///< the resource manager's job that the nodes are from, "slurm:17"; empty: none
    std::string checkpoints = {};      ///< the directory for them, if nobody names one; empty: there is none
    Keepers* keepers = nullptr;        ///< of images in memory; outlive the job
    bool recovers = false;             ///< it is started again when it has lost a rank or a node
  };

  /// What the job asks for. Called with the job locked: must not block and must not call the job.
  struct Requests {
    std::function<void(int agent, const wire::Message&)> send;
    std::function<void(int agent)> give_up;     ///< no rank is left on the agent's node: its daemon may go
    std::function<void(int agent)> await_exit;  ///< the agent has left: call retired() once mpirun knows it has exited
    std::function<void()> dismiss;              ///< no rank is moved any more: all agents are to exit
    std::function<void(int agent)> drop;        ///< this one does not answer, and is to exit
    std::function<void()> end;                  ///< the job cannot go on: mpirun is to end it
    std::function<void(bool orderly)> over;     ///< all agents are gone; orderly: the job goes on to its end without
    std::function<void()> complete;             ///< the ranks have ended, but mpirun still waits for a lost node
    /// The agent's node is empty: call released() when it has left the resource manager's job, or, with `keep`, at
    /// once. None: there is no resource manager.
    std::function<void(int agent, bool keep)> release = nullptr;
    std::function<void()> changed = nullptr;                ///< something that operators see has changed
    std::function<void(const Migration&)> store = nullptr;  ///< all files are there: call stored() when they count
    std::function<void(const checkpoint::Draft&)> discard = nullptr;  ///< of a checkpoint that is given up
  };

  struct View {
    State state = State::starting;
    std::vector<RankView> ranks;
    std::vector<bool> moving;  ///< by rank
    std::vector<NodeView> nodes;
    std::vector<std::optional<Release>> releases;  ///< by node; none: of one that nobody has tried to release
    std::vector<std::uint64_t> migrations;
  };

  struct Refusal {
    enum class Kind { plan, ended, starting } kind = Kind::plan;
    std::string reason;
  };

  Job(Description description, Requests requests);

  // From the agents' connections.
  void joined(const wire::Hello& hello);
  void received(const wire::Message& message);  ///< of an agent, but Hello and Farewell
  void left(int agent);
  void gone(int agent, bool clean);  ///< after left(); clean: and the ranks on its node have ended
  void retired(int agent);
  void released(int agent, const Release& release);           ///< as Requests::release has asked
  void stored(std::uint64_t id, const Result<void>& result);  ///< as Requests::store has asked

  /// The node of this agent has vanished. Whether the job can do without.
  bool spare(int agent);

  /// mpirun has ended with this exit status, `on_request`: the user's. Nothing happens to the job any more.
  void ended(int status, bool on_request = false);

  /// Where the job goes on, when mpirun has ended for a relocation or has not got it there; none: it has ended
  /// otherwise.
  std::optional<Relocation> relocation() const;
  /// It cannot start there, for this reason, and goes on where it was.
  void relocation_failed(const std::string& reason);

  /// mpirun has ended, for this reason, and the job is started again: what was under way has failed, what waits goes on
  /// waiting. Nobody is told anything until begin_again().
  void interrupted(const std::string& reason);
  /// From now on the job is on these nodes, by agent. On the thread that the agents' connections are on.
  void begin_again(std::vector<AllocatedNode> nodes);

  /// It is about to be started from this set of images, which nobody needs once all ranks work; 0: from none such.
  void starts_from(std::uint64_t set);

  // From operators.
  const Description& description() const { return description_; }
  State state() const;
  View view() const;
  /// Node of each rank on `nodes`: where it is, or, when that is none of these, where it is to go. Empty: nobody knows.
  std::vector<std::string> places_on(const std::vector<AllocatedNode>& nodes) const;

  /// Asks the agents how things are, and waits for their answers, though not for long.
  void refresh();

  /// The moves that a request would lead to, once the migrations before it are done.
  tl::expected<std::vector<NamedMove>, Refusal> plan(const plan::Request& request) const;

  /// Puts a migration at the end of the queue. While the job starts nothing can be planned: then it has no moves yet.
  /// With `keep_node` an evacuated node stays in the resource manager's job.
  tl::expected<Migration, Refusal> submit(const plan::Request& request, double timeout_s, bool keep_node = false,
                                          const Origin& origin = {});
  /// Likewise a checkpoint, which is the job's from now on unless it is refused.
  tl::expected<Migration, Refusal> save(const checkpoint::Draft& draft, double timeout_s, const Origin& origin = {});
  /// What a relocation would move, once the migrations before it are done.
  tl::expected<std::vector<NamedMove>, Refusal> plan(const RelocationRequest& request) const;
  /// A relocation at the end of the queue. The draft is the job's from now on unless it is refused.
  tl::expected<Migration, Refusal> relocate(const RelocationRequest& request, const checkpoint::Draft& draft,
                                            double timeout_s, const Origin& origin = {});
  /// The ranks that have left the node and not come back.
  std::vector<int> departed_from(const std::string& node) const;
  /// Whether a rank can go to the node, as far as its state says.
  bool has_up(const std::string& node) const;
  std::optional<Migration> migration(std::uint64_t id);
  /// All from this one on. Who asks by this does not count as watching them. Of those before the last `most_detailed`
  /// the timeline and the downtimes are not kept: a job may be saved every minute, for weeks.
  std::vector<Migration> migrations(std::uint64_t first = 1) const;

  /// What others than the owner have asked for, the last few.
  std::vector<Migration> asked_by_others() const;

  /// False when there is no such migration. One that is over stays as it is.
  bool cancel(std::uint64_t id);

  /// To be called once a second: who has not asked for a migration for some calls has gone. Calls are what is counted,
  /// because after a pause of the machine the clock says nothing about those who were paused with it.
  void tick();

  /// Waits until those who were watching migrations have been told how they ended, or have gone.
  void await_watchers();

 private:
  // All with the job locked.
  void notify_changed();
  tl::expected<std::vector<NamedMove>, Refusal> plan_locked(const plan::Request& request) const;
  void cancel_waiting_checkpoint();
  bool may_be_possible(const plan::Request& request, Refusal::Kind refusal) const;
  plan::Snapshot snapshot_after_queue() const;
  std::vector<NamedMove> named(const std::vector<plan::Move>& moves) const;
  Migration* active();
  void advance();
  void start(Migration& migration, plan::Plan plan);
  void ready(const wire::Ready& news);
  void lose(int agent, const std::string& reason);
  void substituted(const wire::Substitute& substitute);
  void conclude_without_leader();
  void admit_substitutes();
  void settle_missing();
  void undo(const std::string& reason);
  void report_losses();
  void watch_over_undoing();
  void drop_silent();
  bool has_ranks(int agent) const;
  std::vector<int> agents_left() const;
  bool under_way(std::uint64_t id);
  void disable_migration(const std::string& reason);
  void report_disabled();
  std::string cannot_move() const { return disabled_->reason + ": no rank can be moved any more"; }
  bool in(Execution::State state) const { return execution_ && execution_->state == state; }
  bool is_running() const { return state_ == State::running || state_ == State::finishing; }
  void watch_over_migration();
  void end_job(const std::string& reason);
  void check_completion();
  void progress(const wire::Progress& progress);
  bool only_receives(int agent) const;
  void conclude(const wire::Outcome& outcome);
  void finish(Migration& migration, Migration::State how, cppc_status status, const std::string& reason);
  void drop_old_details();
  void send_to_all(const wire::Message& message);
  std::optional<int> still_allocated(const plan::Request& request) const;
  void release(Migration& migration, int agent);
  void settle(Migration& migration, const std::optional<Release>& release);
  void saved(const wire::Saved& saved);
  void store_if_known(Migration& migration);
  void watch_over_saved();
  tl::expected<RelocationPlan, std::string> plan_locked(const RelocationRequest& request,
                                                        const plan::Snapshot& snapshot) const;
  void start_relocation(Migration& migration);
  void leave();
  void stay(std::string reason);
  void arrive();
  bool unseen_end() const;

  static constexpr std::chrono::seconds agreeing{10};  // what agents may need to agree, or to answer
  static constexpr int guardians_timeout = 8;          // ticks

  Description description_;  // `nodes` changes as begin_again() says
  const Requests requests_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::starting;
  Picture picture_;
  std::uint64_t starts_from_ = 0;
  plan::Snapshot last_;                 // of the runs of mpirun before this one, when all ranks had been there
  std::vector<Migration> migrations_;   // id - 1 is the index
  std::size_t next_ = 0;                // the first one that is not over
  std::size_t detailed_ = 0;            // the first one whose details are there still
  std::optional<Execution> execution_;  // of the one under way
  struct Loss {
    std::string reason;
    int for_ticks = 0;
  };
  struct Missing {
    std::string reason;
    bool substituted = false;  // waits for its Placement, until nothing is committed
    int for_ticks = 0;
  };
  std::map<int, Missing> missing_;  // agents without which ranks cannot stop: nothing begins
  std::vector<Loss> losses_;        // of agents that the job goes on without
  struct Disabled {
    std::string reason;
    int ticks = 0;
  };
  std::optional<Disabled> disabled_;  // no rank can be moved any more
  std::map<int, Release> releases_;   // of nodes, by agent
  std::set<std::string> released_;    // nodes that are not in the resource manager's job any more
  std::set<int> lost_;                // agents whose nodes have vanished, while the job went on
  std::set<int> ended_;               // agents on whose nodes nothing runs any more
};

}  // namespace cppc::run
