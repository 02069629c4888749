#include "child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "cppc/unique_fd.hpp"

extern char** environ;

namespace cppc::health {
namespace {

using Clock = std::chrono::steady_clock;
using tools::error;
using namespace std::chrono_literals;

constexpr std::size_t longest_output = 16 << 20;
constexpr auto between_looks = 200ms;  // whether it is to stop
constexpr auto end_timeout = 2s;

struct Pipe {
  UniqueFd read, write;
};

std::optional<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

/// posix_spawn's, which have to be destroyed.
struct Actions {
  posix_spawn_file_actions_t files{};
  posix_spawnattr_t attributes{};

  Actions() {
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  ~Actions() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
};

Result<pid_t> spawn(const std::vector<std::string>& command, const Pipe& output, const Pipe& errors) {
  Actions actions;
  posix_spawn_file_actions_addopen(&actions.files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions.files, output.write.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions.files, errors.write.get(), STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t process = -1;
  const int failure =
      posix_spawnp(&process, arguments[0], &actions.files, &actions.attributes, arguments.data(), environ);
  if (failure != 0) return error("cannot start " + command.front() + ": " + std::strerror(failure));
  return process;
}

/// Whether there may be more.
bool read_some(const UniqueFd& from, std::string& into) {
  std::array<char, 65536> buffer{};
  const ssize_t got = read(from.get(), buffer.data(), buffer.size());
  if (got > 0) into.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && errno == EINTR);
}

/// Until both are closed; otherwise what has come in between.
std::string collect(UniqueFd output, UniqueFd errors, Clock::time_point end, const std::stop_token& stop,
                    Finished& into) {
  while (output || errors) {
    if (stop.stop_requested()) return "was stopped, as cppc-health ends";
    if (Clock::now() >= end) return "has not ended in time";
    if (into.output.size() + into.errors.size() > longest_output) return "prints too much";
    std::array<pollfd, 2> both{pollfd{output.get(), POLLIN, 0}, pollfd{errors.get(), POLLIN, 0}};
    poll(both.data(), both.size(), static_cast<int>(std::chrono::milliseconds(between_looks).count()));
    if (both[0].revents != 0 && !read_some(output, into.output)) output.reset();
    if (both[1].revents != 0 && !read_some(errors, into.errors)) errors.reset();
  }
  return "";
}

int status_of(int raw) { return WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw); }

// A program that has closed its output may go on all the same.
std::string await(pid_t process, Clock::time_point end, const std::stop_token& stop, Finished& into) {
  int raw = 0;
  while (waitpid(process, &raw, WNOHANG) == 0) {
    if (stop.stop_requested()) return "was stopped, as cppc-health ends";
    if (Clock::now() >= end) return "has not ended in time";
    poll(nullptr, 0, 5);
  }
  into.status = status_of(raw);
  return "";
}

void end_group(pid_t process) {
  kill(-process, SIGTERM);
  const auto limit = Clock::now() + end_timeout;
  int raw = 0;
  while (waitpid(process, &raw, WNOHANG) == 0) {
    if (Clock::now() >= limit) kill(-process, SIGKILL);
    poll(nullptr, 0, 10);
  }
  kill(-process, SIGKILL);  // what has outlived it
}

}  // namespace

Result<Finished> run_command(const std::vector<std::string>& command, std::chrono::milliseconds limit,
                             const std::stop_token& stop) {
  const auto end = Clock::now() + limit;
  auto output = make_pipe(), errors = make_pipe();
  if (!output || !errors) return error("cannot start " + command.front() + ": " + std::strerror(errno));
  const auto process = spawn(command, *output, *errors);
  if (!process) return error(process.error());
  output->write.reset();
  errors->write.reset();
  Finished finished;
  std::string wrong = collect(std::move(output->read), std::move(errors->read), end, stop, finished);
  if (wrong.empty()) wrong = await(*process, end, stop, finished);
  if (wrong.empty()) return finished;
  end_group(*process);
  return error(command.front() + " " + wrong);
}

}  // namespace cppc::health
