#include "mpirun_command.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "../common/kept_environment.hpp"
#include "../common/launch_messages.hpp"
#include "cppc/checkpoint_files.hpp"
#include "rank_count.hpp"

namespace cppc::run {
namespace {

using tools::error;

struct Parameter {
  std::string_view name;
  std::string_view value;
  std::string_view reason;
};

// Without these a job cannot lose a rank or a node; docs/open-mpi.md says how that was found out.
constexpr auto required_parameters = std::to_array<Parameter>({
    {"async_mpi_finalize", "1", "a rank that leaves would wait for all others"},
    {"plm", "rsh", "an evacuated node can be given up only where cppc-run leads its daemon's connection"},
    {"plm_rsh_no_tree_spawn", "1", "each node's daemon has to be connected to mpirun directly"},
    {"routed", "direct", "each node's daemon has to be connected to mpirun directly"},
    {"rmaps_base_oversubscribe", "1", "a migration may put more ranks on a node than it has slots"},
});

// Better for jobs that migrate; a user who chose otherwise is right.
constexpr auto default_parameters = std::to_array<Parameter>({
    {"mpi_yield_when_idle", "1", "a migration may put more ranks on a node than it has cores"},
    {"osc", "^rdma,ucx", "windows over several nodes fail with them"},
    {"sharedfp", "^sm", "in a rank that has moved, MPI_File_open() prints errors with it"},
    {"hwloc_base_binding_policy", "none", "a rank that arrives would be bound to cores that others have"},
});

constexpr auto binding_options = std::to_array<std::string_view>(
    {"bind-to", "bind-to-core", "bind-to-socket", "cpu-list", "cpu-set", "cpus-per-proc"});

std::string variable_of(std::string_view parameter) { return "OMPI_MCA_" + std::string(parameter); }

std::optional<std::string> chosen(std::span<const Context> contexts, const Environment& present,
                                  std::string_view name) {
  if (auto value = mca_value(contexts, name)) return value;
  const auto variable = present.find(variable_of(name));
  return variable == present.end() ? std::nullopt : std::optional(variable->second);
}

Result<Environment> parameters(std::span<const Context> contexts, const Environment& present) {
  Environment environment;
  for (const auto& [name, value, reason] : required_parameters) {
    const auto other = chosen(contexts, present, name);
    if (other && *other != value) {
      return error("the MCA parameter " + std::string(name) + " has to be " + std::string(value) + ", not " + *other +
                   ": " + std::string(reason));
    }
    environment[variable_of(name)] = value;
  }
  for (const auto& [name, value, reason] : default_parameters) {
    if (!chosen(contexts, present, name)) environment[variable_of(name)] = value;
  }
  return environment;
}

bool binds(std::span<const Context> contexts) {
  return std::any_of(contexts.begin(), contexts.end(), [](const Context& context) {
    return std::any_of(binding_options.begin(), binding_options.end(),
                       [&](std::string_view name) { return context.find(name) != nullptr; }) ||
           (context.find("map-by") != nullptr &&
            context.find("map-by")->values[0].find_first_of("=") != std::string::npos);
  });
}

std::optional<std::string> chosen_remote_shell(std::span<const Context> contexts, const Environment& present) {
  for (const char* name : {"plm_rsh_agent", "orte_rsh_agent", "pls_rsh_agent"}) {
    if (auto value = chosen(contexts, present, name)) return value;
  }
  return std::nullopt;
}

// How daemons get to their nodes: by the resource manager, if it has a way, unless the user has chosen a remote shell.
// A daemon that left its step would be out of the resource manager's sight, or be killed; and where it stays, mpirun
// waits for the end of each before it starts more than so many.
Environment way_to_nodes(std::span<const Context> contexts, const Allocation& allocation, const Environment& present,
                         const ResourceManager* manager) {
  const bool chosen_shell = chosen_remote_shell(contexts, present).has_value();
  Environment settings = manager != nullptr && !chosen_shell ? manager->launch_settings() : Environment{};
  if (settings.empty()) return {{tools::remote_shell_variable, remote_shells(contexts, present)}};
  settings[variable_of("orte_leave_session_attached")] = "1";
  if (!chosen(contexts, present, "plm_rsh_num_concurrent"))
    settings[variable_of("plm_rsh_num_concurrent")] =
        std::to_string(std::max<std::size_t>(allocation.nodes.size(), 128));
  return settings;
}

bool is_remote_shell(const Option& option) {
  return (option.name == "mca" || option.name == "gmca") &&
         (option.values[0] == "plm_rsh_agent" || option.values[0] == "orte_rsh_agent" ||
          option.values[0] == "pls_rsh_agent");
}

// mpirun splits the value of plm_rsh_agent at blanks and colons.
Result<void> check_launch_agent(const std::string& path) {
  if (path.find_first_of(" \t:") == std::string::npos) return {};
  return error("mpirun cannot start " + path +
               ", because there is a blank or a colon in its path: install it elsewhere");
}

// Nor can the dynamic linker tell where such a path in LD_PRELOAD ends.
Result<void> check_preload(const std::string& path) {
  if (path.find_first_of(" \t:") == std::string::npos) return {};
  return error(path + " cannot be preloaded, because there is a blank or a colon in its path: install it elsewhere");
}

Result<void> check_environment(const Environment& present) {
  if (present.contains("OMPI_MCA_mca_base_env_list")) {
    return error("OMPI_MCA_mca_base_env_list is set, which mpirun does not take together with -x: use -x instead");
  }
  return {};
}

void append(std::vector<std::string>& arguments, std::initializer_list<std::string> more) {
  arguments.insert(arguments.end(), more);
}

/// What users may set for ranks and agents; mpirun itself would keep it on this node.
constexpr std::array wishes{"CPPC_LOG",           "CPPC_FABRIC",          "CPPC_FABRIC_CHUNK",    "CPPC_FABRIC_DEPTH",
                            "CPPC_COMPRESS",      "CPPC_DEADLINE_START",  "CPPC_DEADLINE_ARRIVE", "CPPC_DEADLINE_DRAIN",
                            "CPPC_DEADLINE_SHIP", "CPPC_DEADLINE_DECIDE", "CPPC_DEADLINE_COMMIT", "CPPC_DEADLINE_LEAVE",
                            "CPPC_FAULT",         "CPPC_FAULT_RECORD"};

std::vector<std::string> hidden_variables(const Environment& present, const ResourceManager* manager) {
  std::vector<std::string> names;
  for (const auto& [name, value] : present)
    if (manager != nullptr && manager->hides(name)) names.push_back(name);
  return names;
}

void append_settings(std::vector<std::string>& arguments, const Environment& present, std::span<const Option> options) {
  for (const char* name : {"CPPC_JOB", "CPPC_CONTROLLER", "CPPC_EXTENSION"}) append(arguments, {"-x", name});
  const auto given = [&](const std::string& name) {
    return std::ranges::any_of(options, [&](const Option& option) {
      return option.name == "x" && (option.values[0] == name || option.values[0].starts_with(name + "="));
    });
  };
  for (const char* name : wishes)
    if (present.contains(name) && !given(name)) append(arguments, {"-x", name});
}

Result<std::string> rank_count(std::span<const Context> contexts, const Context& context, const Allocation& allocation,
                               const Machine& machine) {
  const Option* option = context.find("np");
  if (option != nullptr && option->values[0] != "0") return option->values[0];
  if (contexts.size() > 1) return error("how many ranks of " + context.program[0] + "? Say it with -n");
  if (!allocation.places.empty()) return std::to_string(allocation.places.size());
  const auto count = default_rank_count(context, allocation, machine);
  if (!count) return error(count.error());
  return std::to_string(*count);
}

constexpr auto mapping_options =
    std::to_array<std::string_view>({"bycore", "bynode", "byslot", "cpus-per-proc", "map-by", "nolocal", "npernode",
                                     "npersocket", "pernode", "ppr", "rank-by"});

bool is_replaced(const Option& option, const Allocation& allocation) {
  if (!allocation.places.empty() && std::ranges::find(mapping_options, option.name) != mapping_options.end())
    return true;
  return option.name == "np" || option.name == "host" || option.name == "hostfile" ||
         option.name == "default-hostfile" || option.name == "wdir" || option.name == "path" || is_remote_shell(option);
}

// The program by way of the agent's, which says so when it cannot be started; mpirun itself would hang.
void append_program(std::vector<std::string>& arguments, const Context& context, const JobSettings& settings) {
  append(arguments, {settings.agent, "start"});
  if (!settings.preload.empty()) append(arguments, {"--preload", settings.preload});
  for (const char* name : {"wdir", "path"}) {
    const Option* option = context.find(name);
    if (option != nullptr) append(arguments, {std::string("--") + name, option->values[0]});
  }
  arguments.insert(arguments.end(), context.program.begin(), context.program.end());
}

// With places, one for each of its ranks, which mpirun takes in this order.
std::string hosts_of(const Context& context, const Allocation& allocation, std::span<const std::string> places,
                     bool managed) {
  if (!places.empty()) return fmt::format("{}", fmt::join(places, ","));
  const auto nodes = allocation.of_context.find(&context);
  if (nodes != allocation.of_context.end()) return host_list(nodes->second);
  return managed ? host_list(allocation.nodes) : "";
}

// A context as the user wrote it, but with its nodes as --host, so that those of the agents can be added.
void append_context(std::vector<std::string>& arguments, const Context& context, const Allocation& allocation,
                    const std::string& ranks, std::span<const std::string> places, const JobSettings& settings,
                    const Environment& present, bool managed) {
  append(arguments, {"-n", ranks});
  for (const Option& option : context.options) {
    if (is_replaced(option, allocation)) continue;
    arguments.push_back((option.name == "x" ? "-" : "--") + option.name);
    arguments.insert(arguments.end(), option.values.begin(), option.values.end());
  }
  const std::string hosts = hosts_of(context, allocation, places, managed);
  if (!hosts.empty()) append(arguments, {"--host", hosts});
  append_settings(arguments, present, context.options);
  if (!settings.restart.empty()) append(arguments, {"-x", checkpoint::restart_variable});
  if (settings.several_threads) append(arguments, {"-x", checkpoint::several_threads_variable});
  if (managed) append(arguments, {"-x", tools::kept_environment_variable});
  append_program(arguments, context, settings);
}

// Names the node as the whole allocation has it: the last --host that mpirun sees decides how many slots there are.
void append_agent(std::vector<std::string>& arguments, const AllocatedNode& node, bool named, const std::string& agent,
                  const Environment& present) {
  append(arguments, {":", "-n", "1"});
  if (named) append(arguments, {"--host", host_list({&node, 1})});
  append_settings(arguments, present, {});
  append(arguments, {"-x", tools::key_variable, agent, node.name});
}

}  // namespace

std::string remote_shells(std::span<const Context> contexts, const Environment& present) {
  return chosen_remote_shell(contexts, present).value_or("ssh : rsh");  // as mpirun
}

Result<MpirunCommand> build_mpirun_command(std::span<const Context> contexts, const Allocation& allocation,
                                           const Machine& machine, const JobSettings& settings,
                                           const Environment& present, const ResourceManager* manager) {
  if (const auto usable = check_environment(present); !usable) return error(usable.error());
  if (const auto startable = check_launch_agent(settings.launch_agent); !startable) return error(startable.error());
  if (const auto preloadable = check_preload(settings.preload); !preloadable) return error(preloadable.error());
  auto environment = parameters(contexts, present);
  if (!environment) return error(std::move(environment).error());
  if (binds(contexts)) environment->erase(variable_of("hwloc_base_binding_policy"));
  environment->insert({{"CPPC_JOB", settings.job},
                       {tools::key_variable, settings.key},
                       {"CPPC_CONTROLLER", settings.controller},
                       {"CPPC_EXTENSION", settings.extension},
                       {tools::launch_socket_variable, settings.launch_socket},
                       {"OMPI_MCA_plm_rsh_agent", settings.launch_agent}});
  if (!settings.restart.empty()) environment->emplace(checkpoint::restart_variable, settings.restart);
  if (settings.several_threads) environment->emplace(checkpoint::several_threads_variable, "1");
  environment->merge(way_to_nodes(contexts, allocation, present, manager));
  if (manager != nullptr) {
    auto kept = tools::keep_environment(manager->prefix(), present);
    if (!kept) return error(std::move(kept).error());
    environment->emplace(tools::kept_environment_variable, *std::move(kept));
  }

  std::vector<std::string> arguments{"mpirun"};
  if (!allocation.places.empty()) append(arguments, {"--map-by", "seq"});
  std::span<const std::string> places = allocation.places;
  for (const Context& context : contexts) {
    if (&context != &contexts.front()) arguments.push_back(":");
    const auto ranks = rank_count(contexts, context, allocation, machine);
    if (!ranks) return error(ranks.error());
    const std::size_t placed = std::min<std::size_t>(std::strtoul(ranks->c_str(), nullptr, 10), places.size());
    append_context(arguments, context, allocation, *ranks, places.first(placed), settings, present, manager != nullptr);
    places = places.subspan(placed);
  }
  // Where ranks have places of their own mpirun knows no node but by --host.
  const bool named = allocation.named || !allocation.places.empty();
  for (const AllocatedNode& node : allocation.nodes) append_agent(arguments, node, named, settings.agent, present);
  return MpirunCommand{std::move(arguments), *std::move(environment), hidden_variables(present, manager)};
}

}  // namespace cppc::run
