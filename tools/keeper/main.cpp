/// cppc-keeper: has the images of a job's checkpoints in the memory of a node. Started by cppc-run, one per node.

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdlib>
#include <string>

#include "adoption.hpp"
#include "connection.hpp"
#include "cppc/deadlines.hpp"
#include "keeper.hpp"

namespace {

using cppc::keeper::Connection;
using cppc::keeper::Keeper;
using nlohmann::json;

constexpr int wrong_usage = 2;

void log_to_stderr() {
  auto logger = spdlog::stderr_color_mt("cppc-keeper");
  logger->set_pattern("%n: %l: %v");
  const char* level = std::getenv("CPPC_LOG");
  logger->set_level(level == nullptr ? spdlog::level::warn : spdlog::level::from_str(level));
  spdlog::set_default_logger(std::move(logger));
}

/// What cppc-run has in its environment for all processes of the job.
void take_environment(const json& settings) {
  for (const auto& [name, value] : settings.at("environment").items())
    setenv(name.c_str(), value.get<std::string>().c_str(), 1);
}

/// Until the keeper has been told to quit (true), or cppc-run has gone.
bool answer_requests(Connection& connection, Keeper& keeper) {
  connection.send({{"addresses", keeper.addresses()}});
  const auto answer = [&](const json& object) { connection.send(object); };
  while (const auto request = connection.next(cppc::deadlines::keep()))
    if (!keeper.handle(*request, answer)) return true;
  return false;
}

/// Whether another cppc-run has taken up the job, which is for it to say within the time that a silent one has.
bool adopted(Connection& connection) {
  if (!connection.ended() || !connection.await_successor(cppc::deadlines::keep())) return false;
  const auto settings = connection.next(cppc::deadlines::keep());
  if (!settings || !settings->is_object()) return adopted(connection);
  take_environment(*settings);
  return true;
}

/// `replaces`: a keeper of the job that does not answer.
int serve(bool replaces) {
  Connection connection;
  const auto settings = connection.next(cppc::deadlines::keep());
  if (!settings || !settings->is_object()) {
    std::fputs(
        "cppc-keeper: standard input does not say of which job it is to keep images: cppc-run starts it, for "
        "--protect and migrate --add; see cppc-keeper --help\n",
        stderr);
    return EXIT_FAILURE;
  }
  take_environment(*settings);
  log_to_stderr();
  if (const auto ended = replaces ? cppc::keeper::end_keeper(settings->at("job")) : cppc::tools::Result<void>(); !ended)
    spdlog::warn("no keeper to replace: {}", ended.error());
  auto keeper = Keeper::start(*settings, [&] { return connection.adopt(); });
  if (!keeper) {
    connection.send({{"error", keeper.error()}});
    return EXIT_FAILURE;
  }
  const bool outlives = settings->value("outlives", false);
  while (!answer_requests(connection, **keeper) && outlives && adopted(connection)) continue;
  std::fflush(nullptr);
  _exit(EXIT_SUCCESS);  // threads may still wait for other keepers
}

int adopt(const std::string& job) {
  const auto done = cppc::keeper::adopt_job(job);
  if (done) return EXIT_SUCCESS;
  std::printf("%s\n", json({{"error", done.error()}}).dump().c_str());
  return EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "The keeper of a node: has images of a job's ranks in memory, for a job that loses a node. cppc-run starts one "
      "per node, for --protect partner and rs:K+M, and for migrate --add and --restore; it is of no use by itself."};
  app.footer("Examples:\n  cppc-run --protect partner --checkpoint-every 1min --recover 5 -H node0,node1 -n 2 ./app");
  std::string job;
  app.add_option("--adopt", job, "Passes requests on to the keeper of this job, whose cppc-run has ended");
  bool replaces = false;
  app.add_flag("--replace", replaces,
               "Takes the place of the job's keeper on this node, which does not answer: that ends")
      ->excludes("--adopt");
  app.set_version_flag("--version", "cppc-keeper " CPPC_VERSION);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& failure) {
    return app.exit(failure) == 0 ? EXIT_SUCCESS : wrong_usage;
  }
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return job.empty() ? serve(replaces) : adopt(job);
  } catch (const std::exception& failure) {  // what cppc-run says is not as it should be
    std::fprintf(stderr, "cppc-keeper: %s\n", failure.what());
    return EXIT_FAILURE;
  }
}
