#include "job.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "cppc/deadlines.hpp"
#include "cppc/fault.hpp"

namespace cppc::run {
namespace {

using namespace std::chrono_literals;

constexpr auto agents_timeout = 1s;
constexpr auto relocation_timeout = 10s;  // until mpirun is told to end a job that is relocated

/// How long the agents may take for a phase, with what they need to agree on its end.
std::chrono::seconds limit_of(const Migration& migration, std::chrono::seconds agreeing) {
  switch (migration.state) {
    case Migration::State::prepare:
      return deadlines::start() + agreeing;
    case Migration::State::negotiate:
      return std::chrono::ceil<std::chrono::seconds>(std::chrono::duration<double>(migration.timeout_s)) + agreeing;
    case Migration::State::freeze:
      return 4 * deadlines::arrive() + 4 * deadlines::drain() + agreeing;
    default:  // of what is written: without a byte more
      return deadlines::ship() + agreeing;
  }
}

Migration::State state_after(const wire::Outcome& outcome) {
  switch (outcome.status) {
    case CPPC_OK:
      return Migration::State::done;
    case CPPC_ERR_MPI:
    case CPPC_ERR_PEER:
      return Migration::State::damaged;
    default:
      return Migration::State::failed;
  }
}

}  // namespace

Job::Job(Description description, Requests requests)
    : description_(std::move(description)), requests_(std::move(requests)), picture_(description_.nodes) {}

void Job::joined(const wire::Hello& hello) {
  const std::lock_guard lock(mutex_);
  picture_.joined(hello);
  notify_changed();
}

void Job::received(const wire::Message& message) {
  const std::lock_guard lock(mutex_);
  if (const auto* roster = std::get_if<wire::Roster>(&message)) picture_.reported(*roster);
  if (const auto* news = std::get_if<wire::Progress>(&message)) progress(*news);
  if (const auto* promise = std::get_if<wire::Ready>(&message)) ready(*promise);
  if (const auto* files = std::get_if<wire::Saved>(&message)) saved(*files);
  if (const auto* outcome = std::get_if<wire::Outcome>(&message)) conclude(*outcome);
  if (const auto* failed = std::get_if<wire::MpiFailed>(&message); failed != nullptr && under_way(failed->id))
    undo(failed->reason);
  if (const auto* answer = std::get_if<wire::Abandoned>(&message);
      answer != nullptr && in(Execution::State::undoing) && under_way(answer->id))
    execution_->undo.awaited.erase(answer->agent);
  if (const auto* late = std::get_if<wire::Late>(&message); late != nullptr && under_way(late->id))
    active()->note(*late);
  if (const auto* substitute = std::get_if<wire::Substitute>(&message)) substituted(*substitute);
  if (const auto* relay = std::get_if<wire::Relay>(&message); relay != nullptr && under_way(relay->id))
    requests_.send(relay->to, *relay);
  if (state_ == State::starting && picture_.complete()) {
    spdlog::info("all agents and ranks are there");
    state_ = State::running;
    if (in(Execution::State::leaving)) arrive();
    if (const auto set = std::exchange(starts_from_, 0); set != 0) requests_.discard({.set = set});
  }
  advance();
  notify_changed();
}

void Job::retired(int agent) {
  const std::lock_guard lock(mutex_);
  Migration* migration = active();
  if (!in(Execution::State::retiring) || execution_->plan.retire != agent) return;
  const std::string& node = picture_.node_name(agent);
  migration->messages.push_back(node + (node == description_.own_node
                                            ? ": nothing of this job is left but cppc-run and mpirun"
                                            : ": nothing of this job is left"));
  if (!requests_.release) return settle(*migration, std::nullopt);
  release(*migration, agent);
}

void Job::release(Migration& migration, int agent) {
  execution_->state = Execution::State::releasing;
  requests_.release(agent, migration.keep_node);
}

void Job::released(int agent, const Release& release) {
  const std::lock_guard lock(mutex_);
  Migration* migration = active();
  if (in(Execution::State::releasing) && execution_->plan.retire == agent) settle(*migration, release);
}

void Job::settle(Migration& migration, const std::optional<Release>& release) {
  if (release) {
    const int agent = *execution_->plan.retire;
    releases_[agent] = *release;
    if (release->state == Release::State::released) released_.insert(picture_.node_name(agent));
    migration.release = release;
    migration.messages.push_back(picture_.node_name(agent) + ": " + release->text);
  }
  finish(migration, Migration::State::done, CPPC_OK, "");
  advance();
  notify_changed();
}

void Job::refresh() {
  std::unique_lock lock(mutex_);
  if (state_ != State::running || active() != nullptr) return;  // agents are busy
  picture_.surveyed();
  send_to_all(wire::Survey{});
  changed_.wait_for(lock, agents_timeout, [this] { return picture_.fresh() || state_ == State::ended; });
}

void Job::tick() {
  const std::lock_guard lock(mutex_);
  for (Migration& migration : migrations_) ++migration.unseen_for;
  watch_over_migration();
  report_losses();
  watch_over_undoing();
  settle_missing();
  report_disabled();
  advance();
  notify_changed();
}

/// Agents keep the deadlines of their own ranks; nobody but the controller sees that an agent does not come back. Ticks
/// are seconds in which the others could have worked.
void Job::watch_over_migration() {
  if (in(Execution::State::telling)) return watch_over_saved();
  if (in(Execution::State::leaving) && state_ == State::finishing &&
      std::chrono::seconds(++execution_->ticks) == relocation_timeout)
    requests_.end();
  const bool committing = in(Execution::State::committing);
  if ((!committing && !in(Execution::State::revocable)) || disabled_) return;
  const Migration& migration = *active();
  const auto limit = committing                  ? deadlines::commit()
                     : execution_->ready.empty() ? limit_of(migration, agreeing)
                                                 : deadlines::decide() + agreeing;
  if (std::chrono::seconds(++execution_->ticks) <= limit) return;
  std::string what =
      std::string(text(migration.state)) + " has not ended within " + std::to_string(limit.count()) + " s";
  if (!committing) return undo(what);
  for (const auto& [agent, missing] : missing_) what += "; " + missing.reason;
  end_job(what);
}

void Job::notify_changed() {
  changed_.notify_all();
  if (requests_.changed) requests_.changed();
}

bool Job::under_way(std::uint64_t id) {
  const Migration* migration = active();
  return migration != nullptr && migration->id == id && !execution_->concluded();
}

Migration* Job::active() {
  const bool any =
      next_ < migrations_.size() && !migrations_[next_].over() && migrations_[next_].state != Migration::State::queued;
  return any ? &migrations_[next_] : nullptr;
}

void Job::start(Migration& migration, plan::Plan plan) {
  if (!migration.relocation) migration.moves = named(plan.moves);
  migration.state = Migration::State::prepare;
  migration.started = Migration::Clock::now();
  wire::Order order{.id = migration.id, .timeout_s = migration.timeout_s};
  for (const plan::Move& move : plan.moves) order.moves.push_back({move.rank, move.to});
  if (plan.retire) order.retire.push_back(*plan.retire);
  if (migration.draft) order.checkpoint = migration.draft->directory;
  order.stands = migration.relocation.has_value();
  order.agents = agents_left();
  const auto without =
      std::ranges::stable_partition(order.agents, [this](int agent) { return picture_.has_mpi(agent); });
  order.without_mpi.assign(without.begin(), without.end());
  const int leader = *std::ranges::find_if(order.agents, [&](int agent) { return agent != plan.retire; });
  execution_ = Execution{.plan = std::move(plan), .leader = leader};
  send_to_all(order);
}

// The one place where a migration is decided: from here on nobody goes back.
void Job::ready(const wire::Ready& news) {
  if (!in(Execution::State::revocable) || active()->id != news.id) return;
  std::set<int>& ready = execution_->ready;
  if (ready.empty()) execution_->ticks = 0;
  ready.insert(news.agent);
  if (!std::ranges::all_of(agents_left(), [&](int agent) { return ready.contains(agent); })) return;
  (void)fault::at("controller-decide");
  execution_->state = Execution::State::committing;
  execution_->ticks = 0;
  send_to_all(wire::Commit{news.id});
}

void Job::progress(const wire::Progress& progress) {
  if (!under_way(progress.id)) return;
  Migration* migration = active();
  const std::uint64_t bytes_before = migration->bytes_done;
  migration->timeline.take(progress, Migration::Clock::now());
  migration->bytes_done = migration->timeline.bytes_done();
  migration->bytes_total = migration->timeline.bytes_total();
  if (only_receives(progress.agent)) return;
  const Migration::State before =
      std::exchange(migration->state, phase_named(progress.phase).value_or(migration->state));
  if (migration->state != before) migration->waits_for.clear();
  const bool writes = migration->state == Migration::State::write && migration->bytes_done != bytes_before;
  if ((migration->state != before || writes) && in(Execution::State::revocable)) execution_->ticks = 0;
}

// Such agents tell when they begin a phase; how far the migration is those tell that lead it, or send.
bool Job::only_receives(int agent) const {
  const std::vector<plan::Move>& moves = execution_->plan.moves;
  return agent != execution_->leader && std::ranges::find(moves, agent, &plan::Move::to) != moves.end() &&
         std::ranges::find(moves, agent, &plan::Move::from) == moves.end();
}

void Job::conclude(const wire::Outcome& outcome) {
  if (!under_way(outcome.id)) return;
  Migration& migration = *active();
  migration.outcome = outcome;
  migration.carried_out = Migration::Clock::now();
  const Migration::State how = state_after(outcome);
  if (how == Migration::State::done && migration.draft) {
    execution_->state = Execution::State::telling;
    execution_->ticks = 0;
    return store_if_known(migration);
  }
  const std::optional<int> retire = execution_->plan.retire;
  if (how == Migration::State::done) picture_.carried_out(execution_->plan);
  if (how == Migration::State::done && retire) {
    execution_->state = Execution::State::retiring;
    requests_.give_up(*retire);
    if (!picture_.connected(*retire)) requests_.await_exit(*retire);
    return;
  }
  finish(migration, how, outcome.status, outcome.reason);
  if (retire && !picture_.connected(*retire))
    lose(*retire, "the agent of " + picture_.node_name(*retire) + " has died");
}

void Job::finish(Migration& migration, Migration::State how, cppc_status status, const std::string& reason) {
  if (&migration == active()) execution_.reset();
  if (migration.draft && how != Migration::State::done) requests_.discard(*migration.draft);
  migration.end(how, status, reason);
  drop_old_details();
}

std::vector<int> Job::agents_left() const {
  std::vector<int> left;
  for (int agent = 0; agent < picture_.agents(); ++agent)
    if (picture_.takes_part(agent)) left.push_back(agent);
  return left;
}

void Job::send_to_all(const wire::Message& message) {
  for (const int agent : agents_left()) requests_.send(agent, message);
}

}  // namespace cppc::run
