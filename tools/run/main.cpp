/// cppc-run: starts an MPI job whose ranks can be moved while it runs.

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>

#include "../access/random.hpp"
#include "../common/command.hpp"
#include "../common/job_directory.hpp"
#include "controller.hpp"
#include "cppc/checkpoint_files.hpp"
#include "cppc/choices.hpp"
#include "cppc/deadlines.hpp"
#include "cppc/fault.hpp"
#include "help.hpp"
#include "host_lists.hpp"
#include "job_keepers.hpp"
#include "launcher.hpp"
#include "mpi_coverage.hpp"
#include "mpirun_command.hpp"
#include "own_options.hpp"
#include "program_check.hpp"
#include "restart.hpp"
#include "standard_input.hpp"
#include "starts.hpp"
#include "surroundings.hpp"

namespace cppc::run {
namespace {

namespace fs = std::filesystem;
using tools::error;
using tools::present_environment;

constexpr int wrong_usage = 2;
constexpr int stopped = 128 + SIGTERM;

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
    log_failure(url_.and_then([&](const std::string& there) { return manager_.publish(there); }));
  }
  Publication(const Publication&) = delete;
  Publication& operator=(const Publication&) = delete;
  ~Publication() {
    if (url_) log_failure(manager_.withdraw(*url_));
  }

 private:
  template <class T>
  void log_failure(const tl::expected<T, std::string>& done) const {
    if (!done) spdlog::warn("{} does not say right where its controller is: {}", manager_.name(), done.error());
  }
  ResourceManager& manager_;
  Result<std::string> url_;
};

// Whether a node can come to the job. Those that it has had keep their slots, unless somebody says otherwise.
std::function<Result<AllocatedNode>(const std::string&)> admission(const Surroundings& around,
                                                                   const Allocation& allocation,
                                                                   const std::string& agent) {
  return [&around, known = allocation.nodes, agent](const std::string& name) -> Result<AllocatedNode> {
    const auto nodes = parse_host_list(name, around.machine, "--add");
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
      {{relocation_refusal(around.contexts, STDIN_FILENO), admission(around, allocation, settings.agent)},
       around.site_moves});
  if (controller && around.options.network)
    spdlog::info("requests over the network: {} port {}", around.options.network->listen.address,
                 (*controller)->network_port());
  return controller;
}

// The checkpoint, as ranks get it: nodes that do not see it have its images from this machine.
Result<std::string> within_reach(const Surroundings& around, const std::string& restart, Controller& controller) {
  controller.starts_from(0);
  if (restart.empty() || around.keepers == nullptr || checkpoint::set_in_memory(restart)) return restart;
  const auto set = checkpoint::find(restart).and_then(
      [&](const checkpoint::Checkpoint& found) { return around.keepers->offer(found); });
  if (!set) return error("cannot restart from " + restart + ": " + set.error());
  controller.starts_from(*set);
  return *set == 0 ? restart : checkpoint::in_memory(*set);
}

// One mpirun, from its start to its end.
Result<JobEnd> run_once(const Surroundings& around, const Allocation& allocation, JobSettings settings,
                        Controller& controller) {
  settings.controller = controller.addresses();
  const auto restart = within_reach(around, settings.restart, controller);
  if (!restart) return error(restart.error());
  settings.restart = *restart;
  const auto command =
      build_mpirun_command(around.contexts, allocation, around.machine, settings, around.present, around.manager);
  if (!command) return error(command.error());
  auto mpirun = Launcher::start(*command, around.gate, around.limit);
  if (!mpirun) return error(std::move(mpirun).error());
  spdlog::info("job {}", settings.job);
  controller.started(mpirun->process());
  const int status = mpirun->wait(around.gate, [&] { controller.expect_end(); });
  return controller.run_ended(status, mpirun->stop_requested());
}

// For checkpoints: one that is there from the start and gone later has not been without them.
Result<void> make_directory(const std::string& directory) {
  std::error_code failure;
  if (directory.empty()) return {};
  fs::create_directories(directory, failure);
  if (!failure) return {};
  return error("cannot make the directory " + directory + " of --checkpoint-to: " + failure.message());
}

// Its images wait for somebody to take up the job.
void leave_for_others(const Surroundings& around, const std::string& job) {
  if (around.record == nullptr || around.keepers->newest() == 0) return;
  around.record->keep();
  around.keepers->leave();
  spdlog::warn("the images of {} stay in memory for {} s: cppc-run --resume {}", job, deadlines::keep().count(), job);
}

// As often as it is started again; exit status of the job.
Result<int> run_to_the_end(const Surroundings& around, const Allocation& allocation, JobSettings settings,
                           Controller& controller) {
  const auto reaches = by_remote_shell(around);
  Keepers* const protecting = around.options.checkpoints.in_memory ? around.keepers : nullptr;
  Starts starts(
      {around.options.checkpoints, settings.job, [&](const AllocatedNode& node) { return reaches(node, {"true"}); },
       [input = StandardInput(STDIN_FILENO)] { return input.begin_again(); }, protecting},
      allocation);
  while (true) {
    if (around.record != nullptr) around.record->write(starts.allocation().nodes);
    const auto end = run_once(around, starts.allocation(), settings, controller);
    if (!end) return error(end.error());
    const bool once_more = !end->ran && !settings.restart.empty() && !settings.several_threads &&
                           end->status == checkpoint::several_threads_status;
    if (once_more)
      spdlog::warn(
          "threads of the program call MPI at the same time: the job is restarted once more, so that they can; that is "
          "why MPI_ABORT was called");
    settings.several_threads = settings.several_threads || once_more;
    const auto restart = once_more ? settings.restart : starts.after(*end, controller);
    if (!restart && is_loss(*end) && around.options.checkpoints.recoveries == 0) leave_for_others(around, settings.job);
    if (!restart) return end->relocation && end->stop_requested && end->status == EXIT_SUCCESS ? stopped : end->status;
    settings.restart = *restart;
    const std::uint64_t set = checkpoint::set_in_memory(*restart).value_or(0);
    if (set != 0 || protecting != nullptr)
      around.keepers->prepare_start(set, starts.allocation().nodes, starts.allocation().places);
    else if (around.keepers != nullptr)
      around.keepers->use(starts.allocation().nodes);
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

// Options of which one excludes the other. `managed`: by a resource manager.
Result<void> check_together(const CheckpointOptions& checkpoints, bool managed, const std::vector<Context>& contexts) {
  if (managed && checkpoints.recoveries > 0)
    return error("--recover is not for jobs of a resource manager, whose lost nodes are not this job's any more");
  if (managed && checkpoints.in_memory)
    return error(
        "--protect partner and rs:K+M are not for jobs of a resource manager, whose lost nodes are not this job's any "
        "more");
  if (const std::string option = option_that_begins_anew(contexts); checkpoints.recoveries > 0 && !option.empty())
    return error("--recover is not for jobs with " + option + " where the job is started again");
  return {};
}

// What each mpirun of the job has. A context may get the number of ranks of the checkpoint (restart.hpp).
Result<JobSettings> find_settings(const OwnOptions& options, std::vector<Context>& contexts) {
  auto settings = find_parts(options.preload);
  if (!settings || options.checkpoints.restart.empty()) return settings;
  const auto checkpoint = choose_checkpoint(options.checkpoints.restart, contexts);
  if (!checkpoint) return error(checkpoint.error());
  settings->restart = checkpoint->directory;
  return settings;
}

// Exit status of the job. `arguments`: as cppc-run was called; `record`: of a job that is taken up, or none.
Result<int> run(std::vector<Context> contexts, const OwnOptions& options, const std::vector<std::string>& arguments,
                const ResumeRecord* record) {
  const CheckpointOptions& checkpoints = options.checkpoints;
  const Machine machine = this_machine();
  const Environment present = present_environment();
  const auto manager = find_resource_manager(present, machine);
  if (!manager) return error(manager.error());
  if (const auto checked = check_together(checkpoints, *manager != nullptr, contexts); !checked)
    return error(checked.error());
  auto access = access_of_others(options);
  if (!access) return error(std::move(access).error());
  auto settings = find_settings(options, contexts);
  if (!settings) return error(std::move(settings).error());
  if (const auto there = make_directory(checkpoints.directory); !there) return error(there.error());
  auto allocation = allocate(contexts, machine, manager->get());
  if (!allocation) return error(allocation.error());
  const auto directory = tools::job_directory();
  if (!directory) return error(directory.error());
  settings->job = record != nullptr ? record->job : new_job_id(contexts.front().program.front());
  settings->launch_socket = tools::launch_socket(*directory, settings->job);
  settings->key = tools::random_hex(32);
  const auto [network, site_moves] = *access;
  std::signal(SIGPIPE, SIG_IGN);  // who reads what this process writes may go at any time
  Surroundings around{contexts, options,    machine, present, manager->get(), *directory,
                      network,  site_moves, {},      {},      nullptr,        nullptr};
  if (const auto enough = around.limit.check(allocation->nodes.size()); !enough) return error(enough.error());
  std::unique_ptr<Keepers> keepers;  // threads of theirs have its signals held back
  const auto not_started = [&](const std::string& why) {
    if (record != nullptr) keepers->leave();  // it can be taken up again
    return error(why);
  };
  const std::string key = record != nullptr ? record->key : tools::random_hex(32);
  if (*manager == nullptr) {
    auto made = make_keepers(around, *allocation, *settings, key, record);
    if (!made) return error(std::move(made).error());
    keepers = *std::move(made);
    around.keepers = keepers.get();
    if (record != nullptr)
      if (const auto taken = take_up(around, *record, *allocation, *settings); !taken)
        return not_started(taken.error());
  }
  const auto controller = start_controller(around, *allocation, *settings);
  if (!controller) return not_started(controller.error());
  std::optional<ResumeFile> resumable;
  if (checkpoints.in_memory) {
    resumable.emplace(*directory, ResumeRecord{settings->job, key, fs::current_path(), arguments, allocation->nodes});
    around.record = &*resumable;
  }
  std::optional<Publication> publication;
  if (options.network && *manager != nullptr) publication.emplace(**manager, (*controller)->network_url());
  if (checkpoints.every) (*controller)->save_every(*checkpoints.every);
  auto status = run_to_the_end(around, *allocation, *settings, **controller);
  if (status)
    (*controller)->ended(*status);
  else
    leave_for_others(around, settings->job);
  return status;
}

// In its directory and with its arguments, if there is such a job.
Result<ResumeRecord> find_record(const std::string& job) {
  const auto directory = tools::job_directory();
  if (!directory) return error(directory.error());
  auto record = read_resume_record(*directory, job);
  if (record && chdir(record->directory.c_str()) != 0)
    return error("cannot enter " + record->directory + ", where " + job + " was started: " + std::strerror(errno));
  return record;
}

int fail(int status, const std::string& reason) {
  std::fprintf(stderr, "cppc-run: %s%s\n", reason.c_str(), status == wrong_usage ? " (see cppc-run --help)" : "");
  return status;
}

}  // namespace
}  // namespace cppc::run

int main(int argc, char** argv) {
  using namespace cppc::run;
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string first = arguments.empty() ? "" : arguments.front();
  if (first == "--help" || first == "-h") return std::fputs(help, stdout) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
  if (first == "--version" || first == "-V")
    return std::puts("cppc-run " CPPC_VERSION) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
  if (first == "--mpi-coverage") return std::fputs(mpi_coverage().c_str(), stdout) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
  log_to_stderr();
  for (const auto& [name, value] : cppc::tools::present_environment()) {
    std::string wrong = name == "CPPC_FAULT" ? std::string(cppc::fault::validation_error(value))
                                             : cppc::deadlines::validation_error(name, value);
    if (wrong.empty()) wrong = cppc::choices::validation_error(name, value);
    if (!wrong.empty()) return fail(wrong_usage, wrong);
  }
  std::optional<ResumeRecord> record;
  if (first == "--resume") {
    if (arguments.size() != 2) return fail(wrong_usage, "--resume needs the name of a job, and nothing else");
    auto found = find_record(arguments[1]);
    if (!found) return fail(EXIT_FAILURE, found.error());
    record = *std::move(found);
    arguments = record->arguments;
  }
  if (std::error_code removed; fs::current_path(removed).empty())
    return fail(EXIT_FAILURE, "cannot start in the working directory: " + removed.message());
  const auto options = take_own_options(arguments);
  if (!options) return fail(wrong_usage, options.error());
  const auto contexts = understand(*options);
  if (!contexts) return fail(wrong_usage, contexts.error());
  if (contexts->front().find("verbose") != nullptr && std::getenv("CPPC_LOG") == nullptr) {
    setenv("CPPC_LOG", "info", 1);
    spdlog::set_level(spdlog::level::info);
  }
  const auto status = run(*contexts, *options, arguments, record ? &*record : nullptr);
  return status ? *status : fail(EXIT_FAILURE, status.error());
}
