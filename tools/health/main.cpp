/// cppc-health: has nodes emptied before they fail.

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>

#include "../common/option_values.hpp"
#include "daemon.hpp"
#include "evacuator.hpp"
#include "io_thread.hpp"
#include "node_side.hpp"
#include "pollers.hpp"
#include "send.hpp"
#include "service.hpp"

namespace cppc::health {
namespace {

constexpr const char* footer = R"(Examples:
  cppc-health --config /etc/cppc/health.toml            the daemon, one for a cluster
  cppc-health --check --config /etc/cppc/health.toml    only says whether the configuration is right
  cppc-health --node --config /etc/cppc/health-node.toml  on a node in a cloud: passes its notices on
  cppc-health notice --node node7 --reason "fan fails" --deadline 600
  cppc-health notice --node node7 --resolved

Exit status: 0 ended by SIGTERM or SIGINT, configuration right, notice taken; 1 failed; 2 wrong usage or configuration
See also: cppc-health(8), migrate(1), cppc-run(1))";

constexpr int wrong_usage = 2;

int fail(int status, const std::string& reason) {
  std::fprintf(stderr, "cppc-health: %s\n", reason.c_str());
  return status;
}

void log_to_stderr(const std::string& level) {
  auto logger = spdlog::stderr_logger_mt("cppc-health");
  logger->set_pattern("%n: %v");
  logger->set_level(spdlog::level::from_str(level));
  spdlog::set_default_logger(std::move(logger));
}

/// Blocked in all threads, for wait_for_end().
sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

void wait_for_end() {
  const sigset_t signals = ending_signals();
  int signal = 0;
  sigwait(&signals, &signal);
}

std::filesystem::path beside_this(const char* program) {
  std::error_code failure;
  return std::filesystem::read_symlink("/proc/self/exe", failure).parent_path() / program;
}

int run_daemon(const Configuration& configuration) {
  const Site& site = configuration.site;
  if (!configuration.listen)
    return fail(wrong_usage, "the configuration has no [listen]: write token_file = \"...\" into it");
  Evacuator evacuator(site.migrate.empty() ? beside_this("migrate") : site.migrate, site.dry_run, site.slurm);
  auto io = tools::IoThread::create();
  if (!io) return fail(EXIT_FAILURE, io.error());
  const auto daemon = Daemon::start(
      configuration, [&evacuator](const Task& task) { return evacuator(task); }, CPPC_VERSION);
  if (!daemon) return fail(EXIT_FAILURE, daemon.error());
  auto service = serve((*io)->context(), **daemon, *configuration.listen);
  if (!service) return fail(EXIT_FAILURE, service.error());
  (*io)->start();
  spdlog::info("listens at {} port {}{}", configuration.listen->address, service->port,
               site.dry_run ? "; dry run: nothing is moved" : "");
  {
    const Pollers pollers(**daemon, configuration);
    wait_for_end();
  }
  (*daemon)->events().close();
  service->server.reset();
  return EXIT_SUCCESS;
}

int run_node(const Configuration& configuration) {
  if (!configuration.send)
    return fail(wrong_usage, "the configuration has no [send]: write server and token_file into it");
  const auto node = NodeSide::start(configuration);
  if (!node) return fail(wrong_usage, node.error());
  wait_for_end();
  return EXIT_SUCCESS;
}

struct Command {
  std::filesystem::path configuration = "/etc/cppc/health.toml";
  bool node = false, check = false, resolved = false;
  Notice notice;
  std::string server, authority, token_file;
};

// Where the daemon of this machine listens, unless the command line says where it is.
Result<Send> destination(const Command& command) {
  Send send{command.server, command.authority, command.token_file, ""};
  if (!send.server.empty() && !send.token_file.empty()) return send;
  const auto configuration = read_configuration(command.configuration);
  if (!configuration) return tools::error(configuration.error() + "; or say --server and --token-file");
  if (configuration->send) return *configuration->send;
  if (!configuration->listen) return tools::error(command.configuration.string() + " has neither [send] nor [listen]");
  const Listen& listen = *configuration->listen;
  if (!listen.certificate.empty()) return tools::error("say --server, as the certificate names it, and --token-file");
  const bool v6 = listen.address.find(':') != std::string::npos;
  return Send{"http://" + (v6 ? "[" + listen.address + "]" : listen.address) + ":" + std::to_string(listen.port), "",
              listen.token_file, ""};
}

int send_notice(Command command) {
  const auto send = destination(command);
  if (!send) return fail(wrong_usage, send.error());
  Notice& notice = command.notice;
  notice.firing = !command.resolved;
  if (!is_node_name(notice.node)) return fail(wrong_usage, "\"" + notice.node + "\" is no name of a node");
  if (notice.key.empty()) notice.key = notice.node;
  const auto sent = send_notices(*send, {notice});
  return sent ? EXIT_SUCCESS : fail(EXIT_FAILURE, sent.error());
}

int run(const Command& command) {
  const auto configuration = read_configuration(command.configuration);
  if (!configuration) return fail(wrong_usage, configuration.error());
  if (!command.node && configuration->site.nodes.empty() && !configuration->site.slurm)
    return fail(wrong_usage, "the configuration has no [site]: write scheduler = \"slurm\" or nodes = [...] into it");
  if (command.check) return EXIT_SUCCESS;
  const sigset_t signals = ending_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return command.node ? run_node(*configuration) : run_daemon(*configuration);
}

}  // namespace
}  // namespace cppc::health

int main(int argc, char** argv) {
  using namespace cppc::health;
  std::signal(SIGPIPE, SIG_IGN);
  Command command;
  command.notice.source = "manual";
  std::string level = "info";
  CLI::App app{"Has nodes that a monitor, an alert, a cloud or Slurm condemns emptied of the ranks of MPI jobs."};
  app.footer(footer);
  app.set_version_flag("--version", "cppc-health " CPPC_VERSION);
  app.add_option("--config", command.configuration, "the configuration (default: /etc/cppc/health.toml)");
  auto* check = app.add_flag("--check", command.check, "only say whether the configuration is right");
  auto* node = app.add_flag("--node", command.node, "on a node: pass on what the cloud says about it");
  app.add_option("--log", level, "debug, info (the default), warn, error")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}));
  auto* notice = app.add_subcommand("notice", "tell the daemon about a node");
  notice->fallthrough();
  notice->add_option("--node", command.notice.node, "the node")->required();
  notice->add_option("--reason", command.notice.reason, "what is wrong with it");
  notice->add_option("--severity", command.notice.severity, "such as warning or critical, for the rules");
  notice->add_option("--source", command.notice.source, "who says so, for the rules (default: manual)");
  notice->add_option("--key", command.notice.key, "what is the same thing, said again (default: the node)");
  notice->add_option("--deadline", command.notice.deadline_s, "how many seconds are left")
      ->check(cppc::tools::wrong_seconds);
  notice->add_flag("--resolved", command.resolved, "it is well again, or has been repaired");
  auto* server = notice->add_option("--server", command.server, "the daemon: https://HOST:PORT");
  auto* token = notice->add_option("--token-file", command.token_file, "a file of mode 0600 with its token");
  notice->add_option("--ca", command.authority, "certificates that the server's has to lead to")->needs(server);
  server->needs(token);
  token->needs(server);
  notice->excludes(check)->excludes(node);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& failure) {
    return app.exit(failure) == 0 ? EXIT_SUCCESS : wrong_usage;
  }
  log_to_stderr(level);
  return *notice ? send_notice(command) : run(command);
}
