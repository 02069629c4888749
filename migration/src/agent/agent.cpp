#include "cppc/agent.hpp"

#include <mpi.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <span>
#include <thread>

#include "agent_state.hpp"
#include "cppc/agent_key.hpp"
#include "cppc/checkpoint_files.hpp"
#include "cppc/deadlines.hpp"
#include "guardian.hpp"
#include "node.hpp"
#include "operation.hpp"
#include "processors.hpp"
#include "rank_processes.hpp"
#include "remains.hpp"
#include "spawn.hpp"

namespace cppc::migration {

using namespace std::chrono_literals;

namespace {

/// How long a rank may take to come by a safe point and announce the size of its state.
constexpr auto kSurvey = 200ms;

/// How long an agent may need to see that its connection is closed.
constexpr auto kLinkTimeout = 1s;

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

tl::expected<void, cppc_status> introduce(Link& link, const MemberCounts& counts) {
  return link.send(wire::Hello{.key = agent_key(std::getenv("CPPC_KEY"), counts.agent),
                               .agent = counts.agent,
                               .agents = counts.agents,
                               .node = host_name(),
                               .pid = getpid(),
                               .job_size = counts.ranks,
                               .mpirun = own_mpirun()});
}

/// What an agent shares with its ranks, and leaves to a substitute.
struct Files {
  UniqueFd control = ControlBlock::reserve();
  UniqueFd page = negotiation::Page::reserve();
};

tl::expected<Node, cppc_status> set_up(const std::string& name, Link link, Files files, AgentState& state, bool bound) {
  const auto counts = count_members(true);
  if (!counts) return tl::unexpected(counts.error());
  auto control = ControlBlock::create(counts->ranks, counts->agents, std::move(files.control));
  if (!control) return tl::unexpected(control.error());
  auto page = negotiation::Page::create(counts->ranks, std::move(files.page));
  if (!page) return tl::unexpected(page.error());
  auto met = gather_members(
      *counts, {.agent_pid = getpid(), .control = control->descriptor(), .page = page->fd(), .agent = counts->agent});
  if (!met) return tl::unexpected(met.error());
  if (auto introduced = introduce(link, *counts); !introduced) return tl::unexpected(introduced.error());
  state.agent = counts->agent;
  auto watch = LinkWatch::on(link.descriptor());
  if (!watch) return tl::unexpected(watch.error());
  Node node{.agent = counts->agent,
            .name = name,
            .control = std::move(*control),
            .page = std::move(*page),
            .link = std::move(link),
            .watch = std::move(*watch),
            .state = &state,
            .bound = bound,
            .comms = met->comms,
            .members = std::vector<int>(static_cast<std::size_t>(counts->agents)),
            .agent_of = met->agent_of};
  std::iota(node.members.begin(), node.members.end(), 0);
  node.agents = node.members;
  // Before the barrier: a rank that has passed it may end at once: mpirun then handles its exit.
  for (const int rank : node.local_ranks())
    if (auto adopted = node.adopt(rank, met->pid_of[static_cast<std::size_t>(rank)]); !adopted)
      return tl::unexpected(adopted.error());
  if (!checked(PMPI_Barrier(node.comms.all), "the ranks and agents of the job do not meet"))  // the ranks have attached
    return tl::unexpected(CPPC_ERR_MPI);
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

void send(Node& node, const wire::Message& message) {
  if (!node.link.send(message)) exit_without_aborting_job();
}

Next migrate(Node& node, const wire::Order& order) {
  node.go_on_with(order.agents, order.without_mpi);
  const auto outcome = Operation(node, order).run();
  if (!outcome) {
    node.note_disturbance();
  } else if (outcome->status == CPPC_ERR_MPI) {
    spdlog::critical("{}: the job is damaged: {}", node.name, outcome->reason);
    (void)node.link.send(*outcome);
    return Next::damaged;
  }
  const bool retires = std::find(order.retire.begin(), order.retire.end(), node.agent) != order.retire.end();
  if (retires && outcome && outcome->status == CPPC_OK) return Next::quit;
  if (!node.report()) exit_without_aborting_job();
  if (outcome && node.leader()) send(node, *outcome);
  return Next::go_on;
}

/// When the ranks stand still after a checkpoint. Agents leave after them: a rank whose agent has gone works on.
Next proceed(Node& node, bool leaves) {
  node.control.command(leaves ? Action::leave : Action::go_on);
  if (!leaves) return Next::go_on;
  TimeBudget budget(deadlines::leave());
  const auto ended = [](const auto& one) { return one.second.ended(); };
  while (!std::ranges::all_of(node.processes, ended) && !budget.spent()) std::this_thread::sleep_for(1ms);
  return Next::quit;
}

Next obey(Node& node, const wire::Message& message) {
  if (const auto* order = std::get_if<wire::Order>(&message)) return migrate(node, *order);
  if (std::holds_alternative<wire::Quit>(message)) return Next::quit;
  if (std::holds_alternative<wire::End>(message)) node.end();
  if (const auto* ended = std::get_if<wire::RemoveRemains>(&message)) remove_remains(ended->mpiruns);
  if (const auto* after = std::get_if<wire::Proceed>(&message)) return proceed(node, after->leaves);
  if (const auto* abandon = std::get_if<wire::Abandon>(&message)) send(node, wire::Abandoned{abandon->id, node.agent});
  if (std::holds_alternative<wire::Survey>(message)) {
    survey(node);
    if (!node.report()) exit_without_aborting_job();
  }
  return Next::go_on;
}

Next serve(Node& node) {
  while (true) {
    auto messages = node.link.receive();
    if (!messages) exit_without_aborting_job();
    node.inbox.insert(node.inbox.end(), messages->begin(), messages->end());
    while (!node.inbox.empty()) {
      const wire::Message message = std::move(node.inbox.front());
      node.inbox.erase(node.inbox.begin());
      if (const Next next = obey(node, message); next != Next::go_on) return next;
    }
    if (std::erase_if(node.processes, [](const auto& one) { return one.second.ended(); }) > 0 && !node.report())
      exit_without_aborting_job();
    sleep(node);
  }
}

void await_ranks(const AgentState& state) {
  for (const pid_t process : std::span(state.ranks).first(state.rank_count)) {
    if (kill(process, 0) != 0) continue;
    if (const auto watch = ProcessWatch::on(process)) watch->await_end();
  }
}

/// What the controller says, from where all ranks are on. What it has said to the agent before is void.
tl::expected<std::vector<wire::Message>, cppc_status> await_placement(Link& link) {
  while (true) {
    pollfd word{link.descriptor(), POLLIN, 0};
    poll(&word, 1, -1);
    auto messages = link.receive();
    if (!messages) return tl::unexpected(messages.error());
    const auto placement = std::ranges::find_if(
        *messages, [](const wire::Message& one) { return std::holds_alternative<wire::Placement>(one); });
    if (placement != messages->end()) return std::vector(placement, messages->end());
  }
}

/// A connection for a substitute, and what has been said on it.
struct Admission {
  Link link;
  std::vector<wire::Message> received;
};

/// Offers the controller the substitute number `count`. Nothing: it wants none, or is gone.
std::optional<Admission> offer_substitute(const AgentState& state, int count) {
  auto link = call_controller();
  if (!link) return std::nullopt;
  const auto key = substitute_key(std::getenv("CPPC_KEY"), state.agent, count);
  if (!link->send(wire::Substitute{.key = key, .agent = state.agent, .count = count, .confirmed = state.confirmed}))
    return std::nullopt;
  auto received = await_placement(*link);
  if (!received) return std::nullopt;
  return Admission{std::move(*link), std::move(*received)};
}

/// In the place of an agent that has died: for its ranks, since all ranks stop for a migration. It has no part in MPI,
/// so it can start no replacements.
int substitute(const std::string& name, Admission admission, Files files, AgentState& state) {
  auto page = negotiation::Page::take_over(std::move(files.page));
  auto control = ControlBlock::take_over(std::move(files.control));
  auto watch = LinkWatch::on(admission.link.descriptor());
  if (!page || !control || !watch) return EXIT_FAILURE;
  const std::vector<wire::Message>& received = admission.received;
  const int ranks = control->ranks();
  Node node{.agent = state.agent,
            .name = name,
            .control = std::move(*control),
            .page = std::move(*page),
            .link = std::move(admission.link),
            .watch = std::move(*watch),
            .state = &state,
            .comms = {.ranks = ranks},
            .agent_of = std::get<wire::Placement>(received.front()).agent_of,
            .inbox = std::vector(received.begin() + 1, received.end())};
  if (node.agent_of.size() != static_cast<std::size_t>(ranks)) return EXIT_FAILURE;
  for (const int rank : node.local_ranks())
    if (const pid_t process = node.page.record(rank).pid; process != 0 && kill(process, 0) == 0)
      (void)node.adopt(rank, process);  // else it has ended
  if (!node.report()) exit_without_aborting_job();
  if (serve(node) != Next::damaged) return EXIT_SUCCESS;
  state.needed = true;
  return checkpoint::damaged_status;
}

bool any_rank_lives(const AgentState& state) {
  const auto ranks = std::span(state.ranks).first(state.rank_count);
  return std::ranges::any_of(ranks, [](pid_t process) { return kill(process, 0) == 0; });
}

/// Waits for the end of an agent, and ends one that does not see that cppc-run has closed its connection, or waits in
/// MPI_Init for ranks that have ended.
Ending await(const Child& child, const Link& link, const AgentState& state, RankWatch& ranks) {
  const auto unwanted = [&] {
    return state.in_mpi ? !state.needed && !state.done && link.closed() : ranks.all_have_ended();
  };
  return child.await(unwanted, kLinkTimeout);
}

int guard(Child child, Link link, Files files, AgentState& state, const std::string& name) {
  RankWatch ranks;
  Ending ending = await(child, link, state, ranks);
  const bool was_unwanted = ending.by_signal && ending.code == SIGKILL;  // else mpirun ends the job, for another reason
  if (was_unwanted && !state.in_mpi && ranks.all_have_ended()) {
    spdlog::error("{}: its ranks have ended before MPI_Init: a program that may do without MPI is started by mpirun",
                  name);
    return EXIT_FAILURE;
  }
  for (int count = 1; !ending.good(); ++count) {
    if (!state.in_mpi || state.needed) end_like(ending);
    const bool gave_up = !ending.by_signal && ending.code == kExitWithoutAbort;
    if (!gave_up) spdlog::log(level_of(ending), "the agent of {} has died: {}", name, text(ending));
    auto admission = any_rank_lives(state) ? offer_substitute(state, count) : std::nullopt;
    const tl::expected<std::optional<Child>, cppc_status> next =
        admission ? Child::fork() : tl::unexpected(CPPC_ERR_LOST);
    if (next && !*next) return substitute(name, std::move(*admission), std::move(files), state);
    if (count == 1) leave_mpi();
    if (!next) break;
    link = std::move(admission->link);
    child = **next;
    ending = await(child, link, state, ranks);
  }
  if (state.agent >= 0) (void)link.send(wire::Farewell{state.agent});  // without cppc-run nobody needs to know
  await_ranks(state);
  return EXIT_SUCCESS;
}

/// Once the agent is in MPI, which the job cannot go on with.
int abort_job(AgentState& state, int status) {
  state.needed = true;
  (void)checked(PMPI_Abort(MPI_COMM_WORLD, status), "MPI_Abort");
  return status;
}

int serve_node(const std::string& name, Link link, Files files, AgentState& state, bool bound) {
  // By their PMPI_ names: an agent is no business of a profiling tool, which may be loaded here, too.
  if (PMPI_Init(nullptr, nullptr) != MPI_SUCCESS) {
    spdlog::error("{}: MPI_Init has failed", name);
    return EXIT_FAILURE;
  }
  state.in_mpi = true;
  if (const auto program = program_without_libcppc()) {
    spdlog::error(
        "{}: {} is not linked with libcppc, so its ranks cannot be moved, and take agents for ranks of their own: "
        "build it with cppc-cc, or run it by cppc-run --preload, or by mpirun",
        name, *program);
    return abort_job(state, EXIT_FAILURE);
  }
  // A replacement may die while it is spawned.
  if (!checked(PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler"))
    return abort_job(state, EXIT_FAILURE);
  auto node = set_up(name, std::move(link), std::move(files), state, bound);
  const std::string shared = node ? oversubscription(node->local_ranks().size()) : "";
  if (!shared.empty()) spdlog::info("{}: {}", name, shared);
  if (!node) return abort_job(state, EXIT_FAILURE);
  if (serve(*node) == Next::damaged) return abort_job(state, checkpoint::damaged_status);
  if (node->left_over) exit_without_aborting_job();  // MPI_Finalize might wait for what never ends
  state.done = true;
  node->watch.reset();  // cppc-run may end before this agent does
  bool freed = true;
  for (MPI_Comm* comm : {&node->comms.own, &node->comms.all})
    if (*comm != MPI_COMM_NULL) freed = checked(PMPI_Comm_free(comm), "MPI_Comm_free") && freed;
  return checked(PMPI_Finalize(), "MPI_Finalize") && freed ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int run_agent(const std::string& node_name) {
  // An agent that waits in a migration sleeps some microseconds at a time, and no longer.
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
  for (const int for_ranks : {SIGUSR1, SIGUSR2}) std::signal(for_ranks, SIG_IGN);  // mpirun sends them to everybody
  const bool bound = bound_by_parent();
  const auto state = share_agent_state();
  auto link = call_controller();
  if (!state || !link) return EXIT_FAILURE;
  Files files;
  const auto child = Child::fork();
  if (!child) return EXIT_FAILURE;
  return *child ? guard(**child, std::move(*link), std::move(files), **state, node_name)
                : serve_node(node_name, std::move(*link), std::move(files), **state, bound);
}

}  // namespace cppc::migration
