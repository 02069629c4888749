/// cppc-keeper: has the images of a job's checkpoints in the memory of a node. Started by cppc-run, one per node.

#include <poll.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>

#include "cppc/deadlines.hpp"
#include "keeper.hpp"

namespace {

using cppc::keeper::Keeper;
using nlohmann::json;

void log_to_stderr() {
  auto logger = spdlog::stderr_color_mt("cppc-keeper");
  logger->set_pattern("%n: %l: %v");
  const char* level = std::getenv("CPPC_LOG");
  logger->set_level(level == nullptr ? spdlog::level::warn : spdlog::level::from_str(level));
  spdlog::set_default_logger(std::move(logger));
}

/// The lines of standard input.
class Input {
 public:
  /// None: there is nobody any more who writes, or nobody has for so long.
  std::optional<json> next(std::chrono::seconds patience) {
    while (text_.find('\n') == std::string::npos)
      if (!more(patience)) return std::nullopt;
    const auto end = text_.find('\n');
    json object = json::parse(text_.substr(0, end), nullptr, /*allow_exceptions=*/false);
    text_.erase(0, end + 1);
    return object;
  }

 private:
  bool more(std::chrono::seconds patience) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    const int ready = poll(&input, 1, static_cast<int>(std::chrono::milliseconds(patience).count()));
    if (ready < 0 && errno == EINTR) return true;
    if (ready <= 0) return false;
    std::array<char, 65536> bytes{};
    const ssize_t got = read(STDIN_FILENO, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) return false;
    text_.append(bytes.data(), static_cast<std::size_t>(got));
    return true;
  }
  std::string text_;
};

/// From any thread. Who does not read it has gone.
void say(const json& object) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const std::string line = object.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t written = write(STDOUT_FILENO, line.data() + done, line.size() - done);
    if (written < 0 && errno != EINTR) return;
    done += written > 0 ? static_cast<std::size_t>(written) : 0;
  }
}

/// What cppc-run has in its environment for all processes of the job.
void take_environment(const json& settings) {
  for (const auto& [name, value] : settings.at("environment").items())
    setenv(name.c_str(), value.get<std::string>().c_str(), 1);
}

int serve() {
  Input input;
  const auto settings = input.next(cppc::deadlines::keep());
  if (!settings || !settings->is_object()) return EXIT_FAILURE;
  take_environment(*settings);
  log_to_stderr();
  auto keeper = Keeper::start(*settings);
  if (!keeper) {
    say({{"error", keeper.error()}});
    return EXIT_FAILURE;
  }
  say({{"addresses", (*keeper)->addresses()}});
  while (const auto request = input.next(cppc::deadlines::keep()))
    if (!(*keeper)->handle(*request, say)) break;
  std::fflush(nullptr);
  _exit(EXIT_SUCCESS);  // threads may still wait for other keepers
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "The keeper of a node: has images of a job's ranks in memory, for a job that loses a node. cppc-run starts one "
      "per "
      "node, for --protect partner; it is of no use by itself."};
  app.footer("Examples:\n  cppc-run --protect partner --checkpoint-every 1min --recover 5 -H node0,node1 -n 2 ./app");
  CLI11_PARSE(app, argc, argv);
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return serve();
  } catch (const std::exception& failure) {  // what cppc-run says is not as it should be
    std::fprintf(stderr, "cppc-keeper: %s\n", failure.what());
    return EXIT_FAILURE;
  }
}
