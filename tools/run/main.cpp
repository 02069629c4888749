/// cppc-run: starts an MPI job whose ranks can be moved while it runs.

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "../access/random.hpp"
#include "../common/command.hpp"
#include "../common/job_directory.hpp"
#include "controller.hpp"
#include "cppc/checkpoint_files.hpp"
#include "cppc/deadlines.hpp"
#include "cppc/fault.hpp"
#include "host_lists.hpp"
#include "keepers.hpp"
#include "launcher.hpp"
#include "mpi_coverage.hpp"
#include "mpirun_command.hpp"
#include "own_options.hpp"
#include "program_check.hpp"
#include "remote_command.hpp"
#include "resource_manager/resource_manager.hpp"
#include "restart.hpp"
#include "starts.hpp"

namespace cppc::run {
namespace {

namespace fs = std::filesystem;
using tools::error;
using tools::present_environment;

constexpr int wrong_usage = 2;
constexpr int stopped = 128 + SIGTERM;

constexpr const char* help = R"(Usage: cppc-run [OPTION]... [any option of mpirun] PROGRAM [ARGUMENT]...

Starts PROGRAM with Open MPI's mpirun, as mpirun itself would, with an agent beside it on every node: `migrate` can then
move its ranks to other nodes while they work. Options, several programs separated by ':', signals, input, output and the
exit status are those of mpirun; only --help, --version, --mpi-coverage and those below, given first, are its own.

--mpi-coverage prints for each function of MPI what becomes of it in such a program: supported; passed through, since it
has nothing to do with who is where; or refused, with a message, at the call.

All nodes that ranks are to move to, spare ones included, have to be named from the start, with --host or --hostfile; in an
allocation of Slurm's or a job of PBS they are those of the job.
PROGRAM has to be linked with libcppc, as cppc-cc and its kin do it, unless it is preloaded:
  --preload                      have libcppc preloaded into a program that mpicc, mpicxx or mpifort has linked

Requests come by a socket that only you can open. From other machines, migrate --server asks over TLS:
  --listen ADDRESS:PORT          listen there, too; port 0: one that the system chooses, which CPPC_LOG=info tells
  --tls-cert FILE                the certificate, with those that lead to its authority, as PEM
  --tls-key FILE                 its key, as PEM, which not everybody may read
  --token-file FILE              who knows the token in it may ask: one line of 32 characters or more, mode 0600; browsers
                                 get a page there, which asks for it
  --munge                        or: you and root may ask, as MUNGE says who asks

Images of all ranks, to go on from, are made on request (migrate checkpoint) and:
  --checkpoint-every TIME        so often: 90s, 10min, 2h
  --checkpoint-to DIR            in this directory, which all nodes see; the last two are kept
  --protect partner              or in memory: each on its own node and on another one, whichever of them is lost;
                                 disk: as --checkpoint-to has it
  --restart DIR                  go on from the newest checkpoint in DIR, or from this one (DIR/3), on whichever nodes
  --recover N                    when a rank or node is lost, start the job again from its newest checkpoint, on the nodes
                                 that are left; not more than N times without a new checkpoint in between

When the site lets you say that (/etc/cppc/site.toml), others, root too, may move your ranks:
  --site-moves never             not at all
  --site-moves 18:00-06:00       at this time of day

Environment:
  CPPC_LOG=info     say on standard error what happens, as --verbose does; also: debug, warn (the default), error
  CPPC_FABRIC=net   libfabric provider for the ranks' state, in place of the best there is: net, tcp, verbs, ...
  CPPC_COMPRESS=off never compress it; on: always; auto (the default): when the network is slow enough to gain

Examples:
  cppc-run -n 4 ./heat                                   on this machine alone
  cppc-run --host node0:2,node1:2,node2:2 -n 4 ./heat    on node0 and node1, with node2 to spare
  cppc-run --hostfile nodes -n 64 --map-by node ./heat
  cppc-run --preload --hostfile nodes -n 64 ./solver     which is linked by mpicc
  salloc -N3 -n8 --no-kill cppc-run ./heat               on three nodes of Slurm's
  migrate status                                         in another terminal: which job is it, who is where
  migrate --rank 3 --to node2
  cppc-run --checkpoint-every 10min --checkpoint-to /scratch/heat --recover 5 --hostfile nodes -n 64 ./heat
  cppc-run --checkpoint-every 1min --protect partner --recover 5 --hostfile nodes -n 64 ./heat
  cppc-run --restart /scratch/heat --hostfile others ./heat
  cppc-run --listen 10.0.0.1:4711 --tls-cert login.pem --tls-key login.key --munge -n 4 ./heat

See also: migrate(1), mpirun(1)
)";

void log_to_stderr() {
  auto logger = spdlog::stderr_logger_mt("cppc-run");
  logger->set_pattern("%n: %v");
  const char* level = std::getenv("CPPC_LOG");
  logger->set_level(level == nullptr ? spdlog::level::warn : spdlog::level::from_str(level));
  spdlog::set_default_logger(std::move(logger));
}

// The program's name for people, and something that is the job's alone: nodes have files of several jobs.
std::string new_job_id(const std::string& program) {
  std::string name = fs::path(program).filename().string().substr(0, 32);
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; }, '-');
  return name + "-" + tools::random_hex(4);
}

Result<JobSettings> find_parts(bool preload) {
  std::error_code failure;
  const fs::path directory = fs::read_symlink("/proc/self/exe", failure).parent_path();
  JobSettings settings;
  settings.agent = directory / "cppc-agent";
  settings.launch_agent = directory / "cppc-launch";
  settings.keeper = directory / "cppc-keeper";
  const fs::path libraries = (directory / CPPC_LIBRARIES_FROM_PROGRAMS).lexically_normal();
  settings.extension = libraries / "libcppc-migration.so";
  if (preload) settings.preload = libraries / "libcppc.so";
  for (const std::string& part :
       {settings.agent, settings.launch_agent, settings.keeper, settings.extension, settings.preload}) {
    if (!part.empty() && !fs::exists(part))
      return error("a part of cppc-run is missing: " + part + "; install it again");
  }
  return settings;
}

Result<std::vector<Context>> understand(const OwnOptions& options) {
  auto contexts = parse_command_line(options.rest);
  if (!contexts) return contexts;
  if (const auto supported = check_supported(*contexts); !supported) return error(supported.error());
  for (const Context& context : *contexts) {
    if (const auto checked = check_program(context, options.preload); !checked) return error(checked.error());
  }
  return contexts;
}

// Says in the resource manager's job where its controller is, as long as this lives. A job goes on without.
class Publication {
 public:
  Publication(ResourceManager& manager, const Result<std::string>& url) : manager_(manager), url_(url) {
    tell(url_.and_then([&](const std::string& there) { return manager_.publish(there); }));
  }
  Publication(const Publication&) = delete;
  Publication& operator=(const Publication&) = delete;
  ~Publication() {
    if (url_) tell(manager_.withdraw(*url_));
  }

 private:
  template <class T>
  void tell(const tl::expected<T, std::string>& done) const {
    if (!done) spdlog::warn("{} does not say right where its controller is: {}", manager_.name(), done.error());
  }
  ResourceManager& manager_;
  Result<std::string> url_;
};

// To go on from a checkpoint a little too often costs less than to stand still for long.
constexpr std::chrono::seconds silence_with_recovery{3};

// What stays the same when a job is started again.
struct Surroundings {
  const std::vector<Context>& contexts;
  const OwnOptions& options;
  const Machine machine;
  const Environment present;
  ResourceManager* manager;  // none, or what the nodes are from
  const std::filesystem::path directory;
  const std::optional<NetworkAccess> network;
  const SiteMoves site_moves;
  const DescriptorLimit limit;
  const SignalGate gate;
  Keepers* keepers;  // none: images are in a directory
};

std::chrono::seconds silence_of(const CheckpointOptions& checkpoints) {
  return checkpoints.recoveries > 0 ? silence_with_recovery : usual_silence;
}

// Whether a node answers, and a command there succeeds: nodes are reached as mpirun reaches them.
using Reach = std::function<bool(const AllocatedNode& node, const std::vector<std::string>& words)>;

Reach by_remote_shell(const Surroundings& around) {
  return [&around, shell = launch::find_remote_shell(remote_shells(around.contexts, around.present))](
             const AllocatedNode& node, const std::vector<std::string>& words) {
    constexpr std::chrono::seconds patience{10};
    if (around.machine.is_local(node.name)) return true;
    std::vector<std::string> command = shell;
    command.push_back(node.name);
    command.insert(command.end(), words.begin(), words.end());
    const auto answer = tools::run_command(command, around.present, patience);
    return answer && answer->status == 0;
  };
}

// Whether a node can come to the job. Those that it has had keep their slots, unless somebody says otherwise.
std::function<Result<AllocatedNode>(const std::string&)> admission(const Surroundings& around,
                                                                   const Allocation& allocation,
                                                                   const std::string& agent) {
  return [&around, known = allocation.nodes, agent](const std::string& name) -> Result<AllocatedNode> {
    const auto nodes = parse_host_list(name, around.machine);
    if (!nodes) return error(nodes.error());
    if (nodes->size() != 1) return error(name + " is not the name of a node");
    AllocatedNode node = nodes->front();
    const std::vector<AllocatedNode>& had = around.manager != nullptr ? around.manager->nodes() : known;
    const auto before = std::ranges::find(had, node.name, &AllocatedNode::name);
    if (before != had.end() && name.find(':') == std::string::npos) node = *before;
    if (around.manager != nullptr) {
      if (before == had.end()) return error(node.name + " is not among the nodes of " + around.manager->name());
    } else if (!by_remote_shell(around)(node, {"test", "-x", agent})) {
      return error(node.name + " cannot be reached by the remote shell, or does not have " + agent);
    }
    return node;
  };
}

Result<std::unique_ptr<Controller>> start_controller(const Surroundings& around, const Allocation& allocation,
                                                     const JobSettings& settings) {
  const CheckpointOptions& checkpoints = around.options.checkpoints;
  auto controller = Controller::start(
      {settings.job, around.contexts.front().program.front(), allocation.nodes, around.machine.name,
       around.manager != nullptr ? around.manager->id() : "", checkpoints.directory, around.keepers,
       checkpoints.recoveries > 0},
      settings.key, around.directory, around.network, around.manager, silence_of(checkpoints),
      {{hop_refusal(around.contexts, STDIN_FILENO), admission(around, allocation, settings.agent)}, around.site_moves});
  if (controller && around.options.network)
    spdlog::info("requests over the network: {} port {}", around.options.network->listen.address,
                 (*controller)->network_port());
  return controller;
}

// One mpirun, from its start to its end.
Result<JobEnd> run_once(const Surroundings& around, const Allocation& allocation, JobSettings settings,
                        Controller& controller) {
  settings.controller = controller.addresses();
  const auto command =
      build_mpirun_command(around.contexts, allocation, around.machine, settings, around.present, around.manager);
  if (!command) return error(command.error());
  auto mpirun = Launcher::start(*command, around.gate, around.limit);
  if (!mpirun) return error(std::move(mpirun).error());
  spdlog::info("job {}", settings.job);
  controller.started(mpirun->process());
  const int status = mpirun->wait(around.gate);
  return controller.run_ended(status, mpirun->told_to_stop());
}

// As often as it is started again; exit status of the job.
Result<int> run_to_the_end(const Surroundings& around, const Allocation& allocation, JobSettings settings,
                           Controller& controller) {
  const auto reaches = by_remote_shell(around);
  Keepers* const protecting = around.options.checkpoints.in_memory ? around.keepers : nullptr;
  Starts starts({around.options.checkpoints, settings.job,
                 [&](const AllocatedNode& node) { return reaches(node, {"true"}); }, protecting},
                allocation);
  while (true) {
    const auto end = run_once(around, starts.allocation(), settings, controller);
    if (!end) return error(end.error());
    const auto restart = starts.after(*end, controller);
    if (!restart) return end->hop && end->told_to_stop && end->status == EXIT_SUCCESS ? stopped : end->status;
    settings.restart = *restart;
    const std::uint64_t set = checkpoint::set_in_memory(*restart).value_or(0);
    if (set != 0 || protecting != nullptr) around.keepers->prepare_start(set, starts.allocation().nodes);
    settings.key = tools::random_hex(32);
    if (const auto begun = controller.begin(starts.allocation().nodes, settings.key); !begun)
      return error(begun.error());
  }
}

struct Access {
  std::optional<NetworkAccess> network;
  SiteMoves site_moves;
};

// As the site says, and, as far as that lets him, the user.
Result<Access> access_of_others(const OwnOptions& options) {
  const char* const file = std::getenv("CPPC_SITE");
  const auto site = read_site(file != nullptr ? file : site_file);
  if (!site) return error(site.error());
  Access access{options.network, {}};
  if (access.network) access.network->operators = site->operators;
  if (options.site_moves.empty()) return access;
  const auto moves = SiteMoves::parse(options.site_moves, *site);
  if (!moves) return error(moves.error());
  access.site_moves = *moves;
  return access;
}

// What users have set for all processes of the job.
std::map<std::string, std::string> keepers_environment(const Environment& present) {
  std::map<std::string, std::string> environment;
  for (const auto& [name, value] : present)
    if (name == "CPPC_LOG" || name.starts_with("CPPC_FAULT") || name.starts_with("CPPC_DEADLINE_"))
      environment.emplace(name, value);
  return environment;
}

// Reached as daemons are, but on this machine. Without --protect they wait for a hop.
Result<std::unique_ptr<Keepers>> make_keepers(const Surroundings& around, const Allocation& allocation,
                                              const JobSettings& settings) {
  const auto way_to = [&around, shell = launch::find_remote_shell(remote_shells(around.contexts, around.present))](
                          const AllocatedNode& node) {
    std::vector<std::string> command;
    if (around.machine.is_local(node.name)) return command;
    command = shell;
    command.push_back(node.name);
    return command;
  };
  const CheckpointOptions& checkpoints = around.options.checkpoints;
  const Keepers::Settings how{settings.job,
                              tools::random_hex(32),
                              settings.keeper,
                              way_to,
                              silence_of(checkpoints),
                              keepers_environment(around.present),
                              checkpoints.in_memory};
  if (!checkpoints.in_memory) return std::make_unique<Keepers>(how, allocation.nodes);
  return Keepers::start(how, allocation.nodes);
}

// Exit status of the job.
Result<int> run(std::vector<Context> contexts, const OwnOptions& options) {
  const CheckpointOptions& checkpoints = options.checkpoints;
  const Machine machine = this_machine();
  const Environment present = present_environment();
  const auto manager = find_resource_manager(present, machine);
  if (!manager) return error(manager.error());
  if (*manager != nullptr && checkpoints.recoveries > 0)
    return error("--recover is not for jobs of a resource manager, whose lost nodes are not this job's any more");
  if (*manager != nullptr && checkpoints.in_memory)
    return error(
        "--protect partner is not for jobs of a resource manager, whose lost nodes are not this job's any more");
  auto access = access_of_others(options);
  if (!access) return error(std::move(access).error());
  auto settings = find_parts(options.preload);
  if (!settings) return error(std::move(settings).error());
  if (!checkpoints.restart.empty()) {
    const auto checkpoint = choose_checkpoint(checkpoints.restart, contexts);
    if (!checkpoint) return error(checkpoint.error());
    settings->restart = checkpoint->directory;
  }
  auto allocation = allocate(contexts, machine, manager->get());
  if (!allocation) return error(allocation.error());
  const auto directory = tools::job_directory();
  if (!directory) return error(directory.error());
  settings->job = new_job_id(contexts.front().program.front());
  settings->launch_socket = tools::launch_socket(*directory, settings->job);

  settings->key = tools::random_hex(32);

  const auto [network, site_moves] = *access;
  std::signal(SIGPIPE, SIG_IGN);  // who reads what this process writes may go at any time
  Surroundings around{contexts, options,    machine, present, manager->get(), *directory,
                      network,  site_moves, {},      {},      nullptr};
  if (const auto enough = around.limit.check(allocation->nodes.size()); !enough) return error(enough.error());
  std::unique_ptr<Keepers> keepers;  // threads of theirs have its signals held back
  if (*manager == nullptr) {
    auto made = make_keepers(around, *allocation, *settings);
    if (!made) return error(std::move(made).error());
    keepers = *std::move(made);
    around.keepers = keepers.get();
  }
  const auto controller = start_controller(around, *allocation, *settings);
  if (!controller) return error(controller.error());
  std::optional<Publication> publication;
  if (options.network && *manager != nullptr) publication.emplace(**manager, (*controller)->network_url());
  if (checkpoints.every) (*controller)->save_every(*checkpoints.every);
  auto status = run_to_the_end(around, *allocation, *std::move(settings), **controller);
  if (status) (*controller)->ended(*status);
  return status;
}

int fail(int status, const std::string& reason) {
  std::fprintf(stderr, "cppc-run: %s%s\n", reason.c_str(), status == wrong_usage ? " (see cppc-run --help)" : "");
  return status;
}

}  // namespace
}  // namespace cppc::run

int main(int argc, char** argv) {
  using namespace cppc::run;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string first = arguments.empty() ? "" : arguments.front();
  if (first == "--help" || first == "-h") return std::fputs(help, stdout) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
  if (first == "--version" || first == "-V")
    return std::puts("cppc-run " CPPC_VERSION) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
  if (first == "--mpi-coverage") return std::fputs(mpi_coverage().c_str(), stdout) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
  log_to_stderr();
  for (const auto& [name, value] : cppc::tools::present_environment()) {
    const std::string wrong = name == "CPPC_FAULT" ? std::string(cppc::fault::validation_error(value))
                                                   : cppc::deadlines::validation_error(name, value);
    if (!wrong.empty()) return fail(wrong_usage, wrong);
  }
  const auto options = take_own_options(arguments);
  if (!options) return fail(wrong_usage, options.error());
  const auto contexts = understand(*options);
  if (!contexts) return fail(wrong_usage, contexts.error());
  if (contexts->front().find("verbose") != nullptr && std::getenv("CPPC_LOG") == nullptr) {
    setenv("CPPC_LOG", "info", 1);
    spdlog::set_level(spdlog::level::info);
  }
  const auto status = run(*contexts, *options);
  return status ? *status : fail(EXIT_FAILURE, status.error());
}
