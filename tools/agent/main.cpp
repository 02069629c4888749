/// cppc-agent: started by cppc-run, one per node; as `cppc-agent start`, in place of each rank; and, as `cppc-agent
/// become`, by an agent for each replacement.

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>

#include "cppc/agent.hpp"
#include "start.hpp"

namespace {

constexpr int wrong_usage = 2;

void log_to_stderr() {
  auto logger = spdlog::stderr_color_mt("cppc-agent");
  logger->set_pattern("%n: %l: %v");
  const char* level = std::getenv("CPPC_LOG");
  logger->set_level(level == nullptr ? spdlog::level::warn : spdlog::level::from_str(level));
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace

int main(int argc, char** argv) {
  log_to_stderr();
  CLI::App app{
      "The agent of CPPC Live on a node. cppc-run starts one per node, as part of the MPI job; it is of no use by "
      "itself."};
  std::string node;
  app.add_option("node", node, "the name that mpirun knows this node by");
  pid_t agent = 0;
  int descriptor = -1;
  auto* become = app.add_subcommand("become", "turn into the replacement of a rank, as an agent says");
  become->add_option("pid", agent, "process id of the agent")->required();
  become->add_option("descriptor", descriptor, "number of the agent's descriptor that says what to become")->required();
  cppc::agent::Start program;
  auto* start = app.add_subcommand("start", "turn into a program of the job; what follows its name is its own");
  start->add_option("--wdir", program.directory, "go to this directory first");
  start->add_option("--path", program.path, "look for it in these directories before those of $PATH");
  start->add_option("--preload", program.preload, "have the dynamic linker load this library with it");
  start->prefix_command();
  app.footer(
      "Examples:\n  cppc-run -H node0,node1 -n 2 ./app    starts an agent on node0 and one on node1\n"
      "  CPPC_LOG=info cppc-run ...            makes them say what they do, on standard error");
  app.set_version_flag("--version", "cppc-agent " CPPC_VERSION);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& failure) {
    return app.exit(failure) == 0 ? EXIT_SUCCESS : wrong_usage;
  }
  if (*become) return cppc::migration::become(agent, descriptor);
  if (*start && !start->remaining().empty()) {
    program.command = start->remaining();
    return cppc::agent::start(program);
  }
  if (node.empty()) {
    spdlog::error("the name of the node is missing; see cppc-agent --help");
    return wrong_usage;
  }
  return cppc::migration::run_agent(node);
}
