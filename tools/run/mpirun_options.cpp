#include "mpirun_options.hpp"

#include <algorithm>
#include <array>
#include <deque>

#include "host_lists.hpp"
#include "own_options.hpp"

namespace cppc::run {
namespace {

using tools::error;

struct Known {
  std::string_view name;
  int values = 0;
  std::string_view alias_of = {};
};

// All options of mpirun 4.1 (schizo_ompi.c, mca_base_cmd_line.c). It takes each with one dash or two.
constexpr auto known_options = std::to_array<Known>({
    {"allow-run-as-root"},
    {"am", 1},
    {"app", 1},
    {"bind-to", 1},
    {"bind-to-core"},
    {"bind-to-socket"},
    {"bycore"},
    {"bynode"},
    {"byslot"},
    {"c", 1, "np"},
    {"cartofile", 1},
    {"cf", 1, "cartofile"},
    {"continuous"},
    {"cpu-list", 1},
    {"cpu-set", 1},
    {"cpus-per-proc", 1},
    {"cpus-per-rank", 1, "cpus-per-proc"},
    {"d", 0, "debug-devel"},
    {"debug"},
    {"debug-daemons"},
    {"debug-daemons-file"},
    {"debug-devel"},
    {"debugger", 1},
    {"default-hostfile", 1},
    {"disable-recovery"},
    {"display-allocation"},
    {"display-devel-allocation"},
    {"display-devel-map"},
    {"display-diffable-map"},
    {"display-map"},
    {"display-topo"},
    {"do-not-launch"},
    {"do-not-resolve"},
    {"dvm"},
    {"enable-instant-on-support"},
    {"enable-recovery"},
    {"fwd-mpirun-port"},
    {"get-stack-traces"},
    {"gmca", 2},
    {"H", 1, "host"},
    {"hnp", 1},
    {"host", 1},
    {"hostfile", 1},
    {"index-argv-by-rank"},
    {"launch-agent", 1},
    {"leave-session-attached"},
    {"machinefile", 1, "hostfile"},
    {"map-by", 1},
    {"max-restarts", 1},
    {"max-vm-size", 1},
    {"mca", 2},
    {"merge-stderr-to-stdout"},
    {"N", 1, "npernode"},
    {"n", 1, "np"},
    {"nolocal"},
    {"nooversubscribe"},
    {"noprefix"},
    {"novm"},
    {"np", 1},
    {"npernode", 1},
    {"npersocket", 1},
    {"ompi-server", 1},
    {"output-filename", 1},
    {"output-proctable"},
    {"oversubscribe"},
    {"path", 1},
    {"pernode"},
    {"personality", 1},
    {"ppr", 1},
    {"prefix", 1},
    {"preload-binary"},
    {"preload-files", 1},
    {"q", 0, "quiet"},
    {"quiet"},
    {"rank-by", 1},
    {"rankfile", 1},
    {"report-bindings"},
    {"report-child-jobs-separately"},
    {"report-events", 1},
    {"report-pid", 1},
    {"report-state-on-timeout"},
    {"report-uri", 1},
    {"rf", 1, "rankfile"},
    {"s", 0, "preload-binary"},
    {"set-cwd-to-session-dir"},
    {"show-progress"},
    {"stdin", 1},
    {"tag-output"},
    {"timeout", 1},
    {"timestamp-output"},
    {"tune", 1},
    {"tv", 0, "debug"},
    {"use-hwthread-cpus"},
    {"use-regexp"},
    {"v", 0, "verbose"},
    {"verbose"},
    {"wd", 1, "wdir"},
    {"wdir", 1},
    {"x", 1},
    {"xml"},
    {"xml-file", 1},
    {"xterm", 1},
});

struct Unsupported {
  std::string_view name;
  std::string_view reason;
};

constexpr auto unsupported_options = std::to_array<Unsupported>({
    {"app", "write the contexts of the application file on the command line, separated by ':'"},
    {"continuous", "a rank that fails has to end the job"},
    {"debug",
     "mpirun would hand the job to a debugger; attach one to the ranks instead (migrate status shows where they are)"},
    {"dvm", "cppc-run starts one job and ends with it"},
    {"enable-recovery", "a rank that fails has to end the job"},
    {"hnp", "the job has to be started by an mpirun of its own"},
    {"max-restarts", "a rank that fails has to end the job"},
    {"max-vm-size", "every node of the allocation is used"},
    {"nooversubscribe", "a migration may put more ranks on a node than it has slots"},
    {"preload-binary", "a rank that moves is started from the program's own path, which has to be there on every node"},
    {"rankfile", "agents have no line in it; choose places with --host and --map-by"},
});

const Known* find_known(std::string_view name) {
  const auto found = std::find_if(known_options.begin(), known_options.end(),
                                  [&](const Known& option) { return option.name == name; });
  return found == known_options.end() ? nullptr : &*found;
}

// Replaces a first token such as "-vq" by "-v" "-q", each followed by its values. mpirun does so when no option has the
// whole name.
void split_shorts(std::deque<std::string>& tokens) {
  const std::string letters = tokens.front().substr(1);
  tokens.pop_front();
  std::vector<std::string> split;
  for (const char letter : letters) {
    split.push_back({'-', letter});
    const Known* option = find_known({&letter, 1});
    for (int i = 0; option != nullptr && i < option->values && !tokens.empty(); ++i) {
      split.push_back(tokens.front());
      tokens.pop_front();
    }
  }
  tokens.insert(tokens.begin(), split.begin(), split.end());
}

Result<Option> take_option(std::deque<std::string>& tokens) {
  const bool long_form = tokens.front().starts_with("--");
  const std::string name = tokens.front().substr(long_form ? 2 : 1);
  const Known* known = find_known(name);
  if (known == nullptr && !long_form && name.size() > 1 && find_known(name.substr(0, 1)) != nullptr) {
    split_shorts(tokens);
    return take_option(tokens);
  }
  if (known == nullptr && is_own_option(tokens.front()))
    return error(tokens.front() + " is an option of cppc-run's own, and has to come before those of mpirun");
  if (known == nullptr) return error("unknown option " + tokens.front());
  Option option{std::string(known->alias_of.empty() ? known->name : known->alias_of), {}};
  tokens.pop_front();
  for (int i = 0; i < known->values; ++i) {
    if (tokens.empty()) return error("a value is missing after the option --" + name);
    option.values.push_back(std::move(tokens.front()));
    tokens.pop_front();
  }
  return option;
}

Result<Context> parse_context(std::deque<std::string> tokens) {
  Context context;
  while (!tokens.empty() && tokens.front().starts_with('-') && tokens.front() != "--") {
    auto option = take_option(tokens);
    if (!option) return error(std::move(option).error());
    context.options.push_back(*std::move(option));
  }
  if (!tokens.empty() && tokens.front() == "--") tokens.pop_front();
  if (tokens.empty()) return error("which program is to be run?");
  context.program.assign(std::make_move_iterator(tokens.begin()), std::make_move_iterator(tokens.end()));
  return context;
}

struct Hindrance {
  std::string_view option;
  std::string_view reason;
};

constexpr auto hindrances = std::to_array<Hindrance>({
    {"output-filename", "mpirun would begin its files anew"},
    {"timeout", "it would begin anew"},
    {"xml-file", "mpirun would begin it anew"},
});

}  // namespace

const Option* Context::find(std::string_view name) const {
  const auto found =
      std::find_if(options.rbegin(), options.rend(), [&](const Option& option) { return option.name == name; });
  return found == options.rend() ? nullptr : &*found;
}

Result<std::vector<Context>> parse_command_line(std::span<const std::string> arguments) {
  std::vector<Context> contexts;
  auto begin = arguments.begin();
  while (true) {
    const auto end = std::find(begin, arguments.end(), ":");
    if (begin != end || (contexts.empty() && end == arguments.end())) {
      auto context = parse_context({begin, end});
      if (!context) return error(std::move(context).error());
      contexts.push_back(*std::move(context));
    }
    if (end == arguments.end()) return contexts;
    begin = end + 1;
  }
}

namespace {

// Whether the list can be understood at all, on whatever machine.
Result<void> check_hosts(const Context& context) {
  const Machine any{"", [](const std::string&) { return false; }};
  for (const Option& option : context.options) {
    if (option.name != "host") continue;
    if (const auto nodes = parse_host_list(option.values[0], any); !nodes) return error(nodes.error());
  }
  return {};
}

}  // namespace

Result<void> check_supported(std::span<const Context> contexts) {
  for (const Context& context : contexts) {
    for (const auto& [name, reason] : unsupported_options) {
      if (context.find(name) != nullptr) {
        return error("the option --" + std::string(name) + " cannot be used: " + std::string(reason));
      }
    }
    if (const auto understood = check_hosts(context); !understood) return understood;
  }
  return {};
}

std::optional<std::string> mca_value(std::span<const Context> contexts, std::string_view name) {
  for (const Context& context : contexts) {
    for (const Option& option : context.options) {
      if ((option.name == "mca" || option.name == "gmca") && option.values[0] == name) return option.values[1];
    }
  }
  return std::nullopt;
}

std::string option_that_begins_anew(std::span<const Context> contexts) {
  for (const Context& context : contexts)
    for (const auto& [option, reason] : hindrances)
      if (context.find(option) != nullptr) return "--" + std::string(option) + ": " + std::string(reason);
  return "";
}

}  // namespace cppc::run
