#include "cppc/agent.hpp"

#include <mpi.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <span>
#include <thread>

#include "cppc/agent_key.hpp"
#include "guardian.hpp"
#include "node.hpp"
#include "operation.hpp"
#include "processors.hpp"
#include "spawn.hpp"
#include "standing.hpp"

namespace cppc::migration {

using namespace std::chrono_literals;

namespace {

/// How long a rank may take to come by a safe point and announce the size of its state.
constexpr auto kSurvey = 200ms;

/// Before the fork: the connection ends with the agent and its guardian.
tl::expected<Link, cppc_status> call_controller() {
  const char* addresses = std::getenv("CPPC_CONTROLLER");
  if (addresses == nullptr || std::getenv("CPPC_KEY") == nullptr) {
    spdlog::error("CPPC_CONTROLLER and CPPC_KEY are not set: cppc-agent is started by cppc-run");
    return tl::unexpected(CPPC_ERR_ARGUMENT);
  }
  return Link::connect(addresses);
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

tl::expected<void, cppc_status> introduce(Link& link, const Headcount& heads) {
  return link.send(wire::Hello{.key = agent_key(std::getenv("CPPC_KEY"), heads.agent),
                               .agent = heads.agent,
                               .agents = heads.agents,
                               .node = host_name(),
                               .pid = getpid(),
                               .job_size = heads.ranks});
}

tl::expected<Node, cppc_status> set_up(const std::string& name, Link link, Standing& standing, bool bound) {
  const auto heads = count_heads(true);
  if (!heads) return tl::unexpected(heads.error());
  auto desk = Desk::create(heads->ranks, heads->agents);
  if (!desk) return tl::unexpected(desk.error());
  auto page = negotiation::Page::create(heads->ranks);
  if (!page) return tl::unexpected(page.error());
  auto met =
      muster(*heads, {.agent_pid = getpid(), .desk = desk->descriptor(), .page = page->fd(), .agent = heads->agent});
  if (!met) return tl::unexpected(met.error());
  if (auto introduced = introduce(link, *heads); !introduced) return tl::unexpected(introduced.error());
  standing.agent = heads->agent;
  auto watch = LinkWatch::on(link.descriptor());
  if (!watch) return tl::unexpected(watch.error());
  Node node{.agent = heads->agent,
            .name = name,
            .desk = std::move(*desk),
            .page = std::move(*page),
            .link = std::move(link),
            .watch = std::move(*watch),
            .standing = &standing,
            .bound = bound,
            .crew = met->crew,
            .agents = std::vector<int>(static_cast<std::size_t>(heads->agents)),
            .agent_of = met->agent_of};
  std::iota(node.agents.begin(), node.agents.end(), 0);
  // Before the barrier: a rank that has passed it may end at once, and is then the job's to mourn.
  for (const int rank : node.local_ranks())
    if (auto adopted = node.adopt(rank, met->pid_of[static_cast<std::size_t>(rank)]); !adopted)
      return tl::unexpected(adopted.error());
  PMPI_Barrier(node.crew.all);  // the ranks have attached
  if (auto reported = node.report(); !reported) return tl::unexpected(reported.error());
  return node;
}

void survey(Node& node) {
  const auto number = node.page.begin_survey();
  const auto deadline = Clock::now() + kSurvey;
  for (const int rank : node.local_ranks())
    while (node.page.record(rank).announced < number && Clock::now() < deadline) std::this_thread::sleep_for(1ms);
  node.page.end_survey();
}

/// Sleeps until the controller says something or a rank has ended.
void sleep(const Node& node) {
  std::vector<pollfd> watched{{node.link.descriptor(), POLLIN, 0}};
  for (const auto& [rank, process] : node.processes) watched.push_back({process.descriptor(), POLLIN, 0});
  poll(watched.data(), watched.size(), -1);
}

enum class Next { go_on, quit, damaged };

Next migrate(Node& node, const wire::Order& order) {
  const wire::Outcome outcome = Operation(node, order).run();
  if (outcome.status == CPPC_ERR_MPI) spdlog::critical("{}: the job is damaged: {}", node.name, outcome.reason);
  if (outcome.status == CPPC_ERR_MPI && node.leader()) node.link.send(outcome);
  if (outcome.status == CPPC_ERR_MPI) return Next::damaged;
  if (node.crew.all == MPI_COMM_NULL) return Next::quit;
  if (!node.report()) stand_down();
  if (node.leader() && !node.link.send(outcome)) stand_down();
  return Next::go_on;
}

Next obey(Node& node, const wire::Message& message) {
  if (const auto* order = std::get_if<wire::Order>(&message)) return migrate(node, *order);
  if (std::holds_alternative<wire::Quit>(message)) return Next::quit;
  if (std::holds_alternative<wire::Survey>(message)) {
    survey(node);
    if (!node.report()) stand_down();
  }
  return Next::go_on;
}

Next serve(Node& node) {
  while (true) {
    auto messages = node.link.receive();
    if (!messages) stand_down();
    node.inbox.insert(node.inbox.end(), messages->begin(), messages->end());
    while (!node.inbox.empty()) {
      const wire::Message message = std::move(node.inbox.front());
      node.inbox.erase(node.inbox.begin());
      if (const Next next = obey(node, message); next != Next::go_on) return next;
    }
    if (std::erase_if(node.processes, [](const auto& one) { return one.second.ended(); }) > 0 && !node.report())
      stand_down();
    sleep(node);
  }
}

void await_ranks(const Standing& standing) {
  for (const pid_t process : std::span(standing.ranks).first(standing.rank_count)) {
    if (kill(process, 0) != 0) continue;
    if (const auto watch = ProcessWatch::on(process)) watch->await_end();
  }
}

int guard(const Child& child, Link link, const Standing& standing, const std::string& name) {
  const Ending ending = child.await();
  if (!ending.good() && (!standing.in_mpi || standing.needed)) end_like(ending);
  if (standing.agent >= 0) (void)link.send(wire::Farewell{standing.agent});  // without cppc-run nobody needs to know
  if (!ending.good()) {
    if (ending.by_signal || ending.code != kStoodDown)
      spdlog::log(level_of(ending), "the agent of {} has died: {}", name, text(ending));
    leave_mpi();
  }
  await_ranks(standing);
  return EXIT_SUCCESS;
}

int serve_node(const std::string& name, Link link, Standing& standing, bool bound) {
  // By their PMPI_ names: an agent is no business of a profiling tool, which may be loaded here, too.
  PMPI_Init(nullptr, nullptr);
  PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);  // a replacement may die while it is spawned
  standing.in_mpi = true;
  auto node = set_up(name, std::move(link), standing, bound);
  const std::string shared = node ? oversubscription(node->local_ranks().size()) : "";
  if (!shared.empty()) spdlog::info("{}: {}", name, shared);
  if (!node || serve(*node) == Next::damaged) {
    standing.needed = true;
    PMPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    return EXIT_FAILURE;
  }
  node->watch.reset();  // cppc-run may end before this agent does
  if (node->crew.own != MPI_COMM_NULL) PMPI_Comm_free(&node->crew.own);
  if (node->crew.all != MPI_COMM_NULL) PMPI_Comm_free(&node->crew.all);
  PMPI_Finalize();
  return EXIT_SUCCESS;
}

}  // namespace

int run_agent(const std::string& node_name) {
  // An agent that waits in a migration sleeps some microseconds at a time, and no longer.
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
  const bool bound = bound_by_parent();
  const auto standing = share_standing();
  auto link = call_controller();
  if (!standing || !link) return EXIT_FAILURE;
  const auto child = Child::fork();
  if (!child) return EXIT_FAILURE;
  return *child ? guard(**child, std::move(*link), **standing, node_name)
                : serve_node(node_name, std::move(*link), **standing, bound);
}

}  // namespace cppc::migration
