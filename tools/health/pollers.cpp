#include "pollers.hpp"

#include <sstream>

#include "child.hpp"
#include "slurm.hpp"

namespace cppc::health {
namespace {

using namespace std::chrono_literals;

constexpr Time timeout = 30s;

Result<std::string> output_of(const std::vector<std::string>& command, Time limit, const std::stop_token& stop) {
  const auto finished = run_command(command, limit, stop);
  if (!finished) return tools::error(finished.error());
  if (finished->status == 0) return finished->output;
  return tools::error(command.front() + " has ended with status " + std::to_string(finished->status) + ": " +
                      finished->errors.substr(0, finished->errors.find('\n')));
}

void poll_slurm(Daemon& daemon, bool drains, const std::stop_token& stop) {
  const auto output = output_of(sinfo_command(), timeout, stop);
  if (stop.stop_requested()) return;
  const auto nodes = output ? parse_sinfo(*output) : tools::error(output.error());
  daemon.polled(slurm_drain, nodes ? "" : nodes.error());
  if (!nodes) return;
  daemon.set_nodes(nodes->all);
  const auto notices = slurm_notices(*nodes, daemon.firing(slurm_drain));
  if (drains && !notices.empty()) daemon.take(notices);
}

void poll_command(Daemon& daemon, const Source& source, const std::stop_token& stop) {
  const auto output = output_of(source.command, std::max(source.every, timeout), stop);
  if (stop.stop_requested()) return;
  std::string failure = output ? "" : output.error();
  const auto notices = output ? notices_printed(*output, source.name, failure) : std::vector<Notice>{};
  daemon.polled(source.name, failure);
  if (!notices.empty()) daemon.take(notices);
}

}  // namespace

std::vector<Notice> notices_printed(const std::string& output, const std::string& source, std::string& failure) {
  std::vector<Notice> notices;
  std::istringstream lines(output);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty()) continue;
    const auto object = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    auto notice = object.is_discarded() ? tools::error("it is not JSON") : notice_from(object, source);
    if (notice) {
      notices.push_back(*std::move(notice));
    } else if (failure.empty()) {
      failure = "line " + std::to_string(number) + " of what it has printed: " + notice.error();
    }
  }
  return notices;
}

void repeat(Time every, const std::stop_token& stop, const std::function<void()>& poll) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  while (!stop.stop_requested()) {
    poll();
    std::unique_lock lock(mutex);
    stopped.wait_for(lock, stop, every, [] { return false; });
  }
}

Pollers::Pollers(Daemon& daemon, const Configuration& configuration) {
  bool drains = false;
  Time every = 60s;  // for the names of the nodes
  for (const Source& source : configuration.sources) {
    if (source.kind == slurm_drain) {
      drains = true;
      every = source.every;
    } else if (source.kind == "command") {
      threads_.emplace_back([&daemon, source](const std::stop_token& stop) {
        repeat(source.every, stop, [&] { poll_command(daemon, source, stop); });
      });
    }
  }
  if (!drains && !configuration.site.slurm) return;
  threads_.emplace_back([&daemon, drains, every](const std::stop_token& stop) {
    repeat(every, stop, [&] { poll_slurm(daemon, drains, stop); });
  });
}

}  // namespace cppc::health
