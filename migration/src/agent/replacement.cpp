/// A replacement's process, and its guardian.

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>

#include "../assignment.hpp"
#include "../control_block.hpp"
#include "cppc/agent.hpp"
#include "cppc/deadlines.hpp"
#include "cppc/randomization.hpp"
#include "guardian.hpp"
#include "process_watch.hpp"
#include "recipe.hpp"

extern char** environ;

namespace cppc::migration {
namespace {

struct Role {
  std::string assignment;  ///< encoded
  Recipe recipe;
};

tl::expected<Role, cppc_status> read_role(pid_t agent, int descriptor) {
  const std::string path = "/proc/" + std::to_string(agent) + "/fd/" + std::to_string(descriptor);
  std::ifstream file(path, std::ios::binary);
  std::string line;
  std::getline(file, line);
  const std::string rest{std::istreambuf_iterator<char>(file), {}};
  auto recipe = Recipe::decode(std::as_bytes(std::span(rest.data(), rest.size())));
  if (!recipe) {
    spdlog::error("cannot read what to become from {}", path);
    return tl::unexpected(recipe.error());
  }
  return Role{line, *std::move(recipe)};
}

/// Returns when that fails.
void turn_into(Role role) {
  std::size_t settings = 0;
  while (environ[settings] != nullptr) ++settings;
  auto environment = role.recipe.environment_for(std::span(environ, settings),
                                                 std::string(Assignment::variable) + '=' + role.assignment);
  if (chdir(role.recipe.directory.c_str()) != 0) {
    spdlog::error("cannot enter {}: {}", role.recipe.directory, std::strerror(errno));
    return;
  }
  execute_without_randomization();
  execve(role.recipe.program.c_str(), pointers(role.recipe.arguments).data(), pointers(environment).data());
  spdlog::error("cannot run {}: {}", role.recipe.program, std::strerror(errno));
}

/// How long an agent may need to see that its replacement will not join.
constexpr auto kSpawnTimeout = std::chrono::seconds(5);

/// In a process of its own, which waits for the agent in vain when that ends meanwhile: Open MPI would end the job when
/// it has waited for long. Whether it has joined.
bool join_agent(const ProcessWatch& agent) {
  const auto child = Child::fork();
  if (!child) return join_and_leave_mpi();
  if (!*child) std::exit(join_and_leave_mpi() ? EXIT_SUCCESS : EXIT_FAILURE);
  const Ending ending = (*child)->await([&agent] { return agent.ended(); }, std::chrono::seconds(0));
  if (!ending.good() && agent.ended()) leave_mpi();
  return ending.good();
}

/// The agent that has spawned this process waits for it inside MPI, and may not come out if nobody joins.
void release(const ProcessWatch& agent, const Slot& slot, int rank) {
  if (join_agent(agent) || slot.spawning.wait_while(1, Clock::now() + kSpawnTimeout)) return;
  spdlog::error(
      "the replacement of rank {} has ended inside MPI_Init, where its agent waits for it in vain: the agent is "
      "ended",
      rank);
  agent.terminate();
}

int guard(const Child& child, Slot& slot, const ProcessWatch& agent, int rank) {
  const std::uint32_t number = slot.replacement();
  slot.come(number);
  bool needed = false;  // once and for all: the slot may come to be another replacement's
  const auto unwanted = [&] {
    needed = needed || slot.needed.load() != 0;
    return !needed && (slot.dismissed.get() != 0 || agent.ended());
  };
  const Ending ending = child.await(unwanted, deadlines::leave());
  if (needed || slot.needed.load() != 0) end_like(ending);
  const bool in_mpi = slot.in_mpi.load() != 0;
  if (ending.good() && in_mpi) {
    slot.go(number);
    return EXIT_SUCCESS;
  }
  slot.lose(number);
  spdlog::log(level_of(ending), "the replacement of rank {} has ended before it was needed: {}", rank, text(ending));
  if (in_mpi || agent.ended())
    leave_mpi();
  else
    release(agent, slot, rank);
  slot.go(number);
  return EXIT_SUCCESS;
}

/// There is nothing to become: the agent may have exited meanwhile.
int come_in_vain(pid_t agent) {
  const auto watch = ProcessWatch::on(agent);
  if (!watch || watch->ended())
    leave_mpi();
  else
    (void)join_agent(*watch);  // it can: nobody has been in touch with Open MPI
  return EXIT_SUCCESS;
}

}  // namespace

int become(pid_t agent, int descriptor) {
  auto role = read_role(agent, descriptor);
  if (!role) return come_in_vain(agent);
  const auto assignment = Assignment::decode(role->assignment);
  if (!assignment) return come_in_vain(agent);
  const auto control = ControlBlock::open(assignment->agent_pid, assignment->control);
  if (!control) return come_in_vain(agent);
  const auto watch = ProcessWatch::on(agent);
  if (!watch) return come_in_vain(agent);
  const auto child = Child::fork();
  if (!child) return come_in_vain(agent);
  if (*child) return guard(**child, control->slot(assignment->rank), *watch, assignment->rank);
  turn_into(*std::move(role));
  return EXIT_FAILURE;
}

}  // namespace cppc::migration
