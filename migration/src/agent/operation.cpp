#include "operation.hpp"

#include <poll.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <span>
#include <tuple>
#include <utility>

#include "cppc/deadlines.hpp"
#include "cppc/fault.hpp"

namespace cppc::migration {

namespace {
constexpr int kAgreement = 6;  // messages of agreements after each step
}  // namespace

Operation::Operation(Node& node, const wire::Order& order)
    : node_(node),
      order_(order),
      comm_(
          {node.comms.own, node.places(), node.index_of(node.agent)}, tag(0, kAgreement), [this] { poll_controller(); },
          [this](int to, int tag, std::span<const std::byte> bytes) { return relay(to, tag, bytes); }) {
  outcome_.id = order.id;
  for (std::size_t i = 0; i < order.moves.size(); ++i) {
    const wire::Move& move = order.moves[i];
    const int from = node.agent_of[static_cast<std::size_t>(move.rank)];
    if (from == node.agent) sources_.push_back({.index = static_cast<int>(i), .rank = move.rank, .other = move.to});
    if (move.to == node.agent)
      replacements_.push_back({.index = static_cast<int>(i), .rank = move.rank, .other = from});
  }
  for (const int rank : node.local_ranks()) node.control.slot(rank).stood_ns = 0;
}

std::optional<wire::Outcome> Operation::run() {
  for (wire::Message& message : std::exchange(node_.inbox, {})) handle(std::move(message));  // came with the order
  bool good = ranks_can_stop();
  if (good) {
    saves() ? prepare_checkpoint() : prepare();
    good = agree() && meet();
  }
  if (saves()) {
    good = good && save();
    report_mpi_failure();
    end_checkpoint(good);
  } else {
    good = good && ship_and_decide();
    report_mpi_failure();
    if (good)
      commit();
    else if (failure_.status != CPPC_ERR_MPI)
      roll_back();
  }
  if (comm_.broken() && failure_.status != CPPC_ERR_MPI) return std::nullopt;
  outcome_.status = failure_.status;
  outcome_.reason = failure_.reason;
  return outcome_;
}

bool Operation::ship_and_decide() {
  ship();
  (void)cancelled();  // from here on it is not given up on request
  return agree() && decide();
}

void Operation::fail(cppc_status status, std::string reason, bool unexplained) {
  if (failure_.status != CPPC_OK) return;  // the first counts
  failure_ = {status, std::move(reason), unexplained};
}

void Operation::fail_for(const Slot& slot, std::string_view what) {
  fail(slot.status, fmt::format("{}: {}", what, why(slot)), has_no_words(slot));
}

/// The failure of the first agent that has one, if any; one that only waited in vain, or does not know why, comes after
/// those that may be why. An agent that cannot be heard has not agreed.
bool Operation::agree() {
  struct Word {
    int agent;
    int vagueness;  ///< the lower, the more it explains
    cppc_status status;
    std::array<char, 500> reason;
  };
  const int vagueness = (waited_in_vain(failure_.status) ? 2 : 0) + (failure_.unexplained ? 1 : 0);
  Word mine{comm_.rank(), vagueness, failure_.status, {}};
  failure_.reason.copy(mine.reason.data(), mine.reason.size() - 1);
  std::array<Word, 1> word{mine};
  const auto first_failure = [](const Word& one, const Word& other) {
    if (one.status == CPPC_OK || other.status == CPPC_OK) return one.status == CPPC_OK ? other : one;
    return std::tie(one.vagueness, one.agent) < std::tie(other.vagueness, other.agent) ? one : other;
  };
  if (!comm_.allreduce(word, first_failure)) return false;
  word[0].reason.back() = '\0';
  failure_ = {word[0].status, word[0].reason.data()};
  return failure_.status == CPPC_OK;
}

bool Operation::relay(int to, int tag, std::span<const std::byte> bytes) {
  wire::Relay message{
      .id = order_.id, .from = node_.agent, .to = order_.agents[static_cast<std::size_t>(to)], .tag = tag};
  for (const std::byte one : bytes) message.bytes.push_back(std::to_integer<int>(one));
  return node_.link.send(message).has_value();
}

void Operation::take(const wire::Relay& message) {
  AgentComm::Bytes bytes;
  for (const int one : message.bytes) bytes.push_back(static_cast<std::byte>(one));
  const auto from = std::find(order_.agents.begin(), order_.agents.end(), message.from) - order_.agents.begin();
  comm_.deliver(static_cast<int>(from), message.tag, std::move(bytes));
}

void Operation::poll_controller() {
  // Once it is decided nobody goes back, whatever becomes of the controller, unless agents need it to reach each other.
  const bool needed = node_.state->needed;
  if (needed && order_.without_mpi.empty()) return;
  auto messages = node_.link.receive();
  if (!messages && needed) return comm_.fail("cppc-run is gone, by which agents without MPI are reached");
  if (!messages) exit_without_aborting_job();
  for (wire::Message& message : *messages) handle(std::move(message));
}

void Operation::handle(wire::Message message) {
  const auto* cancel = std::get_if<wire::Cancel>(&message);
  const auto* commit = std::get_if<wire::Commit>(&message);
  const auto* abandon = std::get_if<wire::Abandon>(&message);
  const auto* relayed = std::get_if<wire::Relay>(&message);
  if (cancel != nullptr && cancel->id == order_.id) {
    cancel_wanted_ = true;
  } else if (commit != nullptr && commit->id == order_.id) {
    decided_ = true;
    node_.state->needed = true;
  } else if (abandon != nullptr && abandon->id == order_.id) {
    comm_.break_off();
    if (!node_.link.send(wire::Abandoned{.id = order_.id, .agent = node_.agent})) exit_without_aborting_job();
  } else if (std::holds_alternative<wire::End>(message)) {
    node_.end();
  } else if (relayed != nullptr) {
    if (relayed->id == order_.id) take(*relayed);  // else of a migration that has been given up
  } else {
    node_.inbox.push_back(std::move(message));
  }
}

bool Operation::given_up() {
  poll_controller();
  return comm_.broken();
}

/// The others wait for this agent, until the controller has them give up.
void Operation::report_mpi_failure() {
  if (comm_.error().empty() || failure_.status == CPPC_ERR_MPI) return;
  const wire::MpiFailed news{
      .id = order_.id, .agent = node_.agent, .reason = fmt::format("{}: {}", node_.name, comm_.error())};
  if (!node_.link.send(news)) exit_without_aborting_job();
}

void Operation::announce(const char* phase) {
  phase_ = phase;
  spdlog::debug("{}: migration {}: {} after {:.1f} ms", node_.name, order_.id, phase, milliseconds_since(started_));
  if (node_.leader() || !sources_.empty() || !replacements_.empty()) report_bytes();
  if (auto faulty = fault::at(place(phase)); !faulty) fail(faulty.error(), fmt::format("{} fails on request", phase));
  disturb_link(phase);
}

void Operation::disturb_link(const char* step) {
  if (fault::corrupts(place(step))) node_.link.send_malformed();
  if (fault::cuts(place(step))) node_.link.cut();
}

void Operation::report_bytes() {
  wire::Progress progress{.id = order_.id, .phase = phase_, .agent = node_.agent};
  const auto add = [&](int rank) {
    const Slot& slot = node_.control.slot(rank);
    const wire::Shipment one{rank, slot.bytes_done.load(), slot.image_bytes.load(),
                             saves() ? 0 : slot.chunks_again.load()};
    progress.bytes_done += one.bytes_done;
    progress.bytes_total += one.bytes_total;
    progress.ranks.push_back(one);
  };
  if (saves()) std::ranges::for_each(node_.local_ranks(), add);
  for (const RankTransfer& source : sources_) add(source.rank);
  reported_ = Clock::now();
  if (auto sent = node_.link.send(progress); !sent && !node_.state->needed) exit_without_aborting_job();
}

/// All agents are of one mind; whether all of them live to carry it out only the controller knows. From the promise on
/// its word counts: when all have heard it, nobody goes back. A controller that stands still must not hold the ranks;
/// one that is gone, or lost, when it has spoken is not missed.
bool Operation::decide() {
  (void)fault::at(place("decide"));
  disturb_link("decide");
  node_.watch->hold();
  if (!node_.link.send(wire::Ready{.id = order_.id, .agent = node_.agent})) exit_without_aborting_job();
  const bool received = await_decision();
  (void)fault::at(place("decided"));
  disturb_link("decided");
  if (!received && !comm_.broken())
    fail(CPPC_ERR_TIMEOUT, fmt::format("cppc-run has not answered within {} s", deadlines::decide().count()));
  if (agree()) return true;
  if (decided_ && comm_.broken()) {  // others may have heard that this agent has heard it
    fail(CPPC_ERR_MPI, comm_.error());
    return false;
  }
  node_.state->needed = false;
  node_.watch->resume();
  return false;
}

bool Operation::await_decision() {
  for (TimeBudget budget(deadlines::decide()); !budget.spent();) {
    pollfd word{node_.link.descriptor(), POLLIN, 0};
    poll(&word, 1, 100);
    poll_controller();
    if (decided_ || comm_.broken()) return decided_;
  }
  return false;
}

bool Operation::cancelled() {
  poll_controller();
  if (cancel_wanted_) fail(CPPC_ERR_CANCELLED, "given up on request");
  return cancel_wanted_;
}

std::string Operation::place(const char* step) const {
  const char* const role = !node_.has_mpi(node_.agent) ? "substitute"
                           : saves()                   ? "saving-agent"
                           : !replacements_.empty()    ? "target-agent"
                           : !sources_.empty()         ? "source-agent"
                                                       : "other-agent";
  return fmt::format("{}-{}", role, step);
}

bool Operation::retires() const {
  return std::find(order_.retire.begin(), order_.retire.end(), node_.agent) != order_.retire.end();
}

int Operation::tag(int index, int kind) const {
  // Unique among the messages that a step that failed may have left behind.
  return (static_cast<int>(order_.id % 20000) * 10000 + index) * 8 + kind;
}

double Operation::milliseconds_since(Clock::time_point start) const {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace cppc::migration
