#include "member.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <thread>
#include <utility>

#include "cppc/checkpoint_files.hpp"
#include "cppc/deadlines.hpp"
#include "cppc/fault.hpp"
#include "cppc/time_budget.hpp"
#include "image_file.hpp"

namespace cppc::migration {
namespace {

/// Watched instead of the doorbell by a rank that has to stop at its next safe point.
constexpr std::uint32_t kAlways = 1;

/// How often a rank that waits at the migration point looks whether it still should.
constexpr auto kLook = std::chrono::seconds(1);

/// How long it rests between two looks for messages of ranks that have still to drain.
constexpr auto kRest = std::chrono::microseconds(500);

/// How often it lets MPI serve others, as long as they may need it: the targets of one-sided communication take part.
constexpr auto kServe = std::chrono::milliseconds(1);

/// So long a rank in MPI_Finalize looks for the others without sleep.
constexpr auto kMoment = std::chrono::milliseconds(2);

/// Whether a rank that stands still is to work on.
bool is_over(Action action) { return action == Action::go_on || action == Action::release; }

/// Others may wait for what MPI has still to do here.
void let_mpi_work() {
  int arrived = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &arrived, MPI_STATUS_IGNORE);
}

}  // namespace

void Member::enter(const JobComms& comms) {
  comms_ = comms;
  barrier_.restart(comms_.all, rank_, comms_.ranks);
}

void Member::watch_page() { runtime_->watch(negotiator_.page().doorbell()); }

bool Member::reached(std::uint64_t passed, unsigned site) {
  if (stop_at_) return passed >= *stop_at_;
  serve_agent();
  return negotiator_.reached(passed, site) == negotiation::Decision::stop;
}

bool Member::reached_call(bool collective, int waits_for) {
  serve_agent();
  if (!cut_->wanted()) return false;
  const auto place = collective ? negotiation::cut::Place::collective : negotiation::cut::Place::elsewhere;
  const auto take_part = [this](negotiation::CollectiveCount* count, const negotiation::cut::Operation& operation) {
    runtime_->take_part(reinterpret_cast<const cppc_collective_count*>(count), operation.what, operation.count);
  };
  const auto decision = cut_->reached(place, waits_for, let_mpi_work, take_part);
  if (decision == negotiation::Decision::lost) PMPI_Abort(MPI_COMM_WORLD, checkpoint::lost_agent_status);
  at_call_ = decision == negotiation::Decision::stop;
  return at_call_;
}

/// What it wants beside a stop.
void Member::serve_agent() {
  if (negotiator_.survey_wanted()) announce();
  if (slot().leaving != 0 && !slot().destination.empty()) prepare_departure();
  if (slot().saves != 0) prepare_snapshot();
}

/// What a replacement on another node would have to make room for.
void Member::announce() {
  Slot& mine = slot();
  std::array<std::uint64_t, decltype(mine.blocks)::capacity> blocks{};
  mine.blocks.write(std::span(blocks).first(runtime_->large_blocks(blocks.data(), blocks.size())));
  std::array<std::int32_t, decltype(mine.sharers)::capacity> sharers{};
  mine.sharers.write(std::span(sharers).first(runtime_->sharers(sharers.data(), sharers.size())));
  negotiator_.announce(runtime_->state_bytes() + runtime_->image_memory());
}

/// The fabric and HDF5 take a while when they are first used: better while the other ranks still work. A migration that
/// was given up may have left what it prepared.
void Member::prepare_departure() {
  const bool prepared = departure_ && *departure_ && (*departure_)->suits(slot());
  if (!prepared) departure_.emplace(Departure::prepare(slot()));
}

void Member::prepare_snapshot() {
  if (!snapshot_ || !snapshot_->suits()) {
    Snapshot::end(std::move(snapshot_));
    snapshot_ = std::make_unique<Snapshot>(*runtime_, slot(), rank_);
  }
}

void Member::copy_state() {
  prepare_snapshot();
  snapshot_->take();
}

void Member::depart() {
  prepare_departure();  // the negotiation may have been over before this rank came by a safe point
  if (*departure_) {
    if (auto image = (*departure_)->depart(*runtime_, given_up())) {
      if (auto kept = LastImage::keep(*std::move(image), rank_)) last_image_ = *std::move(kept);
      slot().stage.set(static_cast<std::uint32_t>(Stage::shipped));
    }
  } else {
    cannot_depart(departure_->error(), slot());
  }
  departure_.reset();
}

/// Others may still be inside MPI, together with replacements.
void Member::await_acknowledgement() {
  negotiation::TimeBudget budget(deadlines::leave());  // after the agent's end
  while (slot().dismissed.get() == 0 && !(negotiator_.agent_gone() && budget.spent())) {
    let_mpi_work();
    (void)slot().dismissed.wait_while(0, Clock::now() + kServe);
  }
  last_image_.reset();
}

/// Whether nobody waits any more for what this rank sends or receives. Often asked.
std::function<bool()> Member::given_up() {
  return [this, look_at = Clock::now()]() mutable {
    if (slot().dismissed.get() != 0) return true;
    if (Clock::now() < look_at) return false;
    look_at = Clock::now() + kLook;
    return negotiator_.agent_gone();
  };
}

void Member::report_arrival(std::uint64_t passed, unsigned site) {
  (void)fault::at(slot().leaving != 0 ? "source-arrive" : "other-arrive");
  Slot& mine = slot();
  mine.passed = passed;
  mine.site = site;
  report_traffic();
  mine.status = CPPC_OK;
  mine.stage.set(static_cast<std::uint32_t>(Stage::arrived));
}

void Member::report_traffic() {
  cppc_traffic traffic{};
  runtime_->traffic(&traffic);
  Slot& mine = slot();
  mine.sent = traffic.sent + barrier_.sent();
  mine.received = traffic.received + barrier_.received();
  mine.active = traffic.active + (barrier_.sends() ? 1 : 0);
}

/// Waits for a command; while the last one is to drain, does so.
tl::expected<Action, cppc_status> Member::next_command() {
  if (!draining_) {
    const auto pause = runtime_->progress() != 0 ? Clock::duration(kServe) : Clock::duration(kLook);
    return control_.await_command(seen_, Clock::now() + pause);
  }
  const bool barrier_settled = barrier_.drain();
  const bool settled = runtime_->drain() != 0 && barrier_settled;
  report_traffic();
  return control_.await_command(seen_, Clock::now() + (settled ? kRest : Clock::duration::zero()));
}

void Member::stopped(std::uint64_t passed, unsigned site) {
  slot().stopped_ns = now_ns();
  if (std::exchange(at_call_, false)) passed = site = 0;  // each rank has come by other safe points
  if (stop_at_) {
    stop_at_.reset();
    watch_page();
  } else {
    // The first stop of a migration: nothing earlier concerns it, but that ranks which came before may drain already.
    seen_ = control_.commands();
    draining_ = control_.action() == Action::drain;
  }
  report_arrival(passed, site);
  bool drained = draining_;  // what was in flight is not in MPI any more
  for (;;) {
    const auto action = next_command();
    if (!action) {
      // The agent may have given the migration up just before this rank came to the migration point, or died. After
      // the decision that ends the job.
      if (is_over(control_.action()) || (negotiator_.agent_gone() && slot().decided.load() == 0)) break;
      continue;
    }
    draining_ = *action == Action::drain;
    drained = drained || draining_;
    if (*action == Action::ship && slot().leaving != 0) {
      depart();
    } else if (*action == Action::copy && slot().saves != 0) {
      copy_state();
    } else if (*action == Action::save) {
      prepare_snapshot();
      snapshot_->write_standing();
    } else if (*action == Action::leave) {
      leave_for_good();
    } else if (*action == Action::next_point) {
      stop_at_ = passed + 1;
      runtime_->watch(&kAlways);
      break;
    } else if (*action == Action::join) {
      rebuild_comms();
      drained = false;
      break;
    } else if (is_over(*action)) {
      break;
    }
  }
  departure_.reset();
  last_image_.reset();
  draining_ = false;
  if (drained) runtime_->resume();
  const bool copied = slot().stage.get() == static_cast<std::uint32_t>(Stage::copied);
  go_on();
  if (copied) snapshot_->write();
}

bool Member::go_together(std::span<const int> ranks) const {
  const std::uint32_t goes = slot().leaving;
  if (goes == 0) return true;  // a checkpoint
  return std::ranges::all_of(ranks, [&](int rank) { return control_.slot(rank).leaving == goes; });
}

void Member::go_on() {
  slot().stood_ns += now_ns() - slot().stopped_ns;
  slot().stage.set(static_cast<std::uint32_t>(Stage::working));
}

void Member::rebuild_comms() {
  const bool leaves = slot().leaving != 0;
  (void)fault::at(leaves ? "source-join" : "other-join");
  const Part part{.before = comms_,
                  .gone = control_.gone(),
                  .joins = control_.joins(),
                  .leaves = leaves,
                  .place = rank_,
                  .ranks = comms_.ranks};
  auto comms = migration::join(part);
  if (!comms) {
    spdlog::critical("rank {}: the job is damaged, its communicator could not be rebuilt", rank_);
    PMPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  if (leaves) leave();
  enter(*comms);
  if (const cppc_status status = runtime_->rebuild(comms_.own); status != CPPC_OK) {
    spdlog::critical("rank {}: the job is damaged, the application's communicators could not be rebuilt", rank_);
    PMPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
}

void Member::leave() {
  runtime_->abandon();
  await_acknowledgement();
  exit_process();
}

/// The job goes on elsewhere, from the file.
void Member::leave_for_good() {
  runtime_->abandon();
  exit_process();
}

void Member::exit_process() {
  std::fflush(nullptr);
  negotiator_.detach();
  (void)checked(PMPI_Finalize(), "MPI_Finalize");  // a rank that MPI still counts on: mpirun ends the job
  // Nothing of the application runs any more here: its exit handlers belong to the process that took over.
  _exit(EXIT_SUCCESS);
}

cppc_status Member::fetch() {
  if (!checkpoint_.empty()) {
    (void)fault::at("restarted-restore");
    const cppc_status status = restore_from({checkpoint_, rank_}, *runtime_);
    if (status == CPPC_OK) check_thread_level();
    return status;
  }
  const cppc_status status = arrival_->fetch(*runtime_, given_up());
  if (status != CPPC_OK) fail(status);
  return CPPC_OK;
}

/// That is known now that the image is there.
void Member::check_thread_level() const {
  int level = MPI_THREAD_SINGLE;
  (void)checked(PMPI_Query_thread(&level), "MPI_Query_thread");
  if (runtime_->thread_level() > std::max<int>(level, MPI_THREAD_SERIALIZED))
    PMPI_Abort(MPI_COMM_WORLD, checkpoint::several_threads_status);
}

/// A replacement whose agent has died goes.
Action Member::await_order() {
  const auto action = control_.await_command(seen_, Clock::now() + kLook);
  if (action) return *action;
  return negotiator_.agent_gone() ? Action::go_on : Action::none;
}

cppc_status Member::join() { return checkpoint_.empty() ? join_as_replacement() : join_restarted_job(); }

/// When all have restored their states, the job runs.
cppc_status Member::join_restarted_job() {
  (void)fault::at("restarted-join");
  if (!checked(PMPI_Barrier(comms_.all), "the restarted ranks do not meet")) return CPPC_ERR_MPI;
  if (const cppc_status status = runtime_->rebuild(comms_.own); status != CPPC_OK) return status;
  // None writes to a file that others share before they have cut it to what it was.
  if (!checked(PMPI_Barrier(comms_.own), "the restarted ranks do not go on")) return CPPC_ERR_MPI;
  watch_page();
  return CPPC_OK;
}

cppc_status Member::join_as_replacement() {
  slot().stage.set(static_cast<std::uint32_t>(Stage::restored));
  for (Action action = Action::none; action != Action::join; action = await_order())
    if (action == Action::go_on) exit_process();
  (void)fault::at("replacement-join");
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm bridge = MPI_COMM_NULL;
  if (!checked(PMPI_Comm_get_parent(&parent), "MPI_Comm_get_parent") ||
      !checked(PMPI_Intercomm_merge(parent, 1, &bridge), "MPI_Intercomm_merge with the agent") ||
      !checked(PMPI_Comm_free(&parent), "MPI_Comm_free"))
    return CPPC_ERR_MPI;
  auto comms = migration::join(
      {.joins = control_.joins(), .group = slot().group, .bridge = bridge, .place = rank_, .ranks = comms_.ranks});
  if (!comms) return comms.error();
  enter(*comms);
  if (const cppc_status status = runtime_->rebuild(comms_.own); status != CPPC_OK) return status;
  watch_page();
  go_on();
  return CPPC_OK;
}

void Member::fail(cppc_status status) {
  if (!checkpoint_.empty()) {
    spdlog::critical("rank {}: the job cannot be restarted from this checkpoint: {}", rank_, cppc_status_text(status));
    PMPI_Abort(MPI_COMM_WORLD, checkpoint::set_in_memory(checkpoint_) ? checkpoint::no_image_status : EXIT_FAILURE);
  }
  report_failure(*runtime_, status, slot());
  while (await_order() != Action::go_on) continue;
  exit_process();
}

bool Member::all_finalize() {
  if (!finalizing_) {
    finalizing_ = Clock::now();
    slot().stops = CPPC_AT_CALLS;  // no safe point comes any more
  }
  if (!barrier_.passed()) {
    if (Clock::now() - *finalizing_ > kMoment) std::this_thread::sleep_for(kServe);
    return false;
  }
  negotiator_.finishing();  // before others can go on: from here on no rank can be stopped
  barrier_.open();
  return true;
}

void Member::finish() {
  Snapshot::end(std::move(snapshot_));  // a file that is being written belongs to a whole
  negotiator_.finishing();
  runtime_->watch(nullptr);
  runtime_->watch_calls(nullptr, nullptr);
  (void)checked(PMPI_Comm_free(&comms_.all), "MPI_Comm_free");  // the world is the runtime's to free
}

}  // namespace cppc::migration
