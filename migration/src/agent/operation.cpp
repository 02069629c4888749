#include "operation.hpp"

#include <poll.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <thread>

#include "cppc/deadlines.hpp"
#include "cppc/fault.hpp"

namespace cppc::migration {

using namespace std::chrono_literals;

Operation::Operation(Node& node, const wire::Order& order) : node_(node), order_(order) {
  outcome_.id = order.id;
  for (std::size_t i = 0; i < order.moves.size(); ++i) {
    const wire::Move& move = order.moves[i];
    const int from = node.agent_of[static_cast<std::size_t>(move.rank)];
    if (from == node.agent) leavers_.push_back({.index = static_cast<int>(i), .rank = move.rank, .other = move.to});
    if (move.to == node.agent) newcomers_.push_back({.index = static_cast<int>(i), .rank = move.rank, .other = from});
  }
}

wire::Outcome Operation::run() {
  bool good = ranks_can_stop();
  if (good) {
    prepare();
    good = agree() && meet();
  }
  if (good) {
    ship();
    good = agree() && decide();
  }
  if (good)
    commit();
  else
    roll_back();
  outcome_.status = failure_.status;
  outcome_.reason = failure_.reason;
  return outcome_;
}

void Operation::fail(cppc_status status, std::string reason) {
  if (failure_.status != CPPC_OK) return;  // the first counts
  failure_ = {status, std::move(reason)};
}

bool Operation::agree() {
  const int seat = node_.seat(node_.agent);
  int mine = failure_.status == CPPC_OK ? INT_MAX : seat;
  int first = INT_MAX;
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Iallreduce(&mine, &first, 1, MPI_INT, MPI_MIN, node_.crew.own, &request);
  await(request);
  if (first == INT_MAX) return true;
  struct {
    cppc_status status;
    std::array<char, 500> reason;
  } news{failure_.status, {}};
  failure_.reason.copy(news.reason.data(), news.reason.size() - 1);
  PMPI_Ibcast(&news, sizeof news, MPI_BYTE, first, node_.crew.own, &request);
  await(request);
  failure_ = {news.status, news.reason.data()};
  return false;
}

void Operation::await(MPI_Request& request, MPI_Status* status, const std::function<void()>& meanwhile) {
  // The node's processors belong to its ranks: look often at first, then now and then.
  for (int looks = 0, done = 0;; ++looks) {
    PMPI_Test(&request, &done, status);
    if (done != 0) return;
    if (meanwhile) meanwhile();
    std::this_thread::sleep_for(looks < 20 ? 10us : 100us);
  }
}

void Operation::announce(const char* phase) {
  phase_ = phase;
  spdlog::debug("{}: migration {}: {} after {:.1f} ms", node_.name, order_.id, phase, milliseconds_since(started_));
  if (node_.leader() || !leavers_.empty()) report_bytes();
  if (auto faulty = fault::at(place(phase)); !faulty) fail(faulty.error(), fmt::format("{} fails on request", phase));
  disturb_link(phase);
}

void Operation::disturb_link(const char* step) {
  if (fault::corrupts(place(step))) node_.link.say_nonsense();
  if (fault::cuts(place(step))) node_.link.cut();
}

void Operation::report_bytes() {
  wire::Progress progress{.id = order_.id, .phase = phase_};
  for (const Passage& leaver : leavers_) {
    const Slot& slot = node_.desk.slot(leaver.rank);
    progress.bytes_done += slot.bytes_done.load();
    progress.bytes_total += slot.image_bytes.load();
  }
  reported_ = Clock::now();
  if (auto sent = node_.link.send(progress); !sent && !node_.standing->needed) stand_down();
}

/// All agents are of one mind; whether all of them live to carry it out only the controller knows. From the promise on
/// its word counts: when all have heard it, nobody goes back. A controller that stands still must not hold the ranks.
bool Operation::decide() {
  (void)fault::at(place("decide"));
  disturb_link("decide");
  node_.watch->hold();
  if (!node_.link.send(wire::Ready{.id = order_.id, .agent = node_.agent})) stand_down();
  const bool heard = hear_decision();
  (void)fault::at(place("decided"));
  disturb_link("decided");
  if (!heard) fail(CPPC_ERR_TIMEOUT, fmt::format("cppc-run has not answered within {} s", deadlines::decide().count()));
  node_.watch->resume();
  if (!agree()) return false;
  node_.watch->hold();
  node_.standing->needed = true;
  return true;
}

bool Operation::hear_decision() {
  for (Allowance patience(deadlines::decide()); !patience.spent();) {
    pollfd word{node_.link.descriptor(), POLLIN, 0};
    poll(&word, 1, 100);
    auto messages = node_.link.receive();
    if (!messages) stand_down();
    bool decided = false;
    for (auto& message : *messages) {
      const auto* commit = std::get_if<wire::Commit>(&message);
      if (commit != nullptr && commit->id == order_.id)
        decided = true;
      else if (!std::holds_alternative<wire::Cancel>(message))  // too late
        node_.inbox.push_back(std::move(message));
    }
    if (decided) return true;
  }
  return false;
}

bool Operation::cancelled() {
  auto messages = node_.link.receive();
  if (!messages) stand_down();
  for (auto& message : *messages) {
    const auto* cancel = std::get_if<wire::Cancel>(&message);
    if (cancel != nullptr && cancel->id == order_.id)
      fail(CPPC_ERR_CANCELLED, "given up on request");
    else
      node_.inbox.push_back(std::move(message));
  }
  return failure_.status == CPPC_ERR_CANCELLED;
}

std::string Operation::place(const char* step) const {
  const char* const role = !newcomers_.empty() ? "target-agent" : !leavers_.empty() ? "source-agent" : "other-agent";
  return fmt::format("{}-{}", role, step);
}

bool Operation::retires() const {
  return std::find(order_.retire.begin(), order_.retire.end(), node_.agent) != order_.retire.end();
}

int Operation::tag(const Passage& passage, int kind) const {
  // Unique among the messages that a step that failed may have left behind.
  return (static_cast<int>(order_.id % 1000) * 10000 + passage.index) * 8 + kind;
}

double Operation::milliseconds_since(Clock::time_point start) const {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace cppc::migration
