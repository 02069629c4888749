/// cppc-launch: what mpirun calls in place of ssh. Leads the connection of a node's daemon through cppc-run, runs the
/// real remote shell, or a step of Slurm's, and keeps from mpirun that it ends with an error when the job goes on
/// without its node.

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "../common/command.hpp"
#include "../common/job_directory.hpp"
#include "../common/launch_messages.hpp"
#include "cppc/unique_fd.hpp"
#include "remote_command.hpp"

namespace cppc::launch {
namespace {

using nlohmann::json;
using tools::error;
using tools::Result;

constexpr int cannot_launch = 255;  // as ssh
constexpr const char* not_called_by_mpirun = "this is not called by an mpirun that cppc-run has started";

constexpr const char* help = R"(Usage: cppc-launch HOST COMMAND...

The launch agent of cppc-run, which makes mpirun call it in place of ssh; it is of no use by itself. Which remote shell it
runs is chosen as for mpirun; in an allocation of Slurm's it is a job step.

Examples:
  cppc-run --mca plm_rsh_agent 'ssh -p 222' --host node0,node1 -n 2 ./app
  OMPI_MCA_plm_rsh_agent=rsh cppc-run --host node0,node1 -n 2 ./app
)";

// cppc-run, at the other end of its launch socket.
class Run {
 public:
  static Result<Run> connect(const char* path) {
    const auto address = tools::socket_address(path);
    if (!address) return error(address.error());
    UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket || ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0) {
      return error(std::string("cannot reach cppc-run at ") + path + ": " + std::strerror(errno));
    }
    return Run(std::move(socket));
  }

  /// The number in cppc-run's answer; none when cppc-run is gone.
  std::optional<int> ask(const json& question, const char* answer) {
    const std::string line = question.dump() + '\n';
    if (send(socket_.get(), line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size())) return {};
    std::string reply;
    for (char character = 0; character != '\n'; reply += character) {
      if (recv(socket_.get(), &character, 1, 0) != 1) return {};
    }
    const json message = json::parse(reply, nullptr, /*allow_exceptions=*/false);
    if (!message.is_object() || !message.contains(answer) || !message[answer].is_number_integer()) return {};
    return message[answer].get<int>();
  }

 private:
  explicit Run(UniqueFd socket) : socket_(std::move(socket)) {}
  UniqueFd socket_;
};

// In a child process that only turns into another program.
void leave_environment_to_step() {
  for (const auto& [name, value] : tools::present_environment())
    if (is_mpiruns_own(name)) unsetenv(name.c_str());
}

int run_to_end(std::vector<std::string> command, bool as_step) {
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    unsetenv(tools::key_variable);
    if (as_step) leave_environment_to_step();
    execvp(arguments[0], arguments.data());
    std::fprintf(stderr, "cppc-launch: cannot run %s: %s\n", arguments[0], std::strerror(errno));
    _exit(cannot_launch);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return cannot_launch;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// The command that runs `daemon` on the node.
Result<std::vector<std::string>> way_to(const std::string& node, const std::vector<std::string>& daemon) {
  if (const char* job = std::getenv(tools::slurm_job_variable)) {
    const char* name = std::getenv("CPPC_JOB");
    if (name == nullptr) return error(not_called_by_mpirun);
    return step_command(job, name, node, daemon);
  }
  const char* shells = std::getenv(tools::remote_shell_variable);
  if (shells == nullptr) return error(not_called_by_mpirun);
  std::vector<std::string> command = find_remote_shell(shells);
  if (command.empty()) return error("there is no " + std::string(shells) + " in $PATH to reach " + node + " with");
  command.push_back(node);
  command.insert(command.end(), daemon.begin(), daemon.end());
  return command;
}

// The exit status; mpirun takes an error as the loss of the node.
Result<int> launch(const std::string& node, const std::vector<std::string>& daemon) {
  const char* socket = std::getenv(tools::launch_socket_variable);
  if (socket == nullptr) return error(not_called_by_mpirun);
  const auto contact = find_contact(daemon);
  if (!contact) return error("mpirun does not say where the daemon of " + node + " is to connect to");
  auto run = Run::connect(socket);
  if (!run) return error(std::move(run).error());
  const auto port = run->ask({{"node", node}, {"address", contact->address}, {"port", contact->port}}, "port");
  if (!port) return error("cppc-run does not lead the daemon of " + node + " to mpirun");
  auto command = way_to(node, with_port(daemon, static_cast<std::uint16_t>(*port)));
  if (!command) return error(std::move(command).error());
  const int status = run_to_end(*std::move(command), std::getenv(tools::slurm_job_variable) != nullptr);
  return status == 0 ? 0 : run->ask({{"status", status}}, "exit").value_or(status);
}

}  // namespace
}  // namespace cppc::launch

int main(int argc, char** argv) {
  using namespace cppc::launch;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && arguments.front() == "--help") return std::fputs(help, stdout) < 0 ? EXIT_FAILURE : 0;
  if (!arguments.empty() && arguments.front() == "--version")
    return std::puts("cppc-launch " CPPC_VERSION) < 0 ? EXIT_FAILURE : 0;
  if (arguments.size() < 2 || arguments.front().starts_with('-')) {
    std::fputs("cppc-launch: a host and a command are needed (see cppc-launch --help)\n", stderr);
    return cannot_launch;
  }
  const auto status = launch(arguments.front(), {arguments.begin() + 1, arguments.end()});
  if (status) return *status;
  std::fprintf(stderr, "cppc-launch: %s\n", status.error().c_str());
  return cannot_launch;
}
