#include "command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "cppc/unique_fd.hpp"

extern char** environ;

namespace cppc::tools {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  UniqueFd read, write;
  static Pipe make() {
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
    return {UniqueFd(ends[0]), UniqueFd(ends[1])};
  }
};

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& one : strings) result.push_back(one.data());
  result.push_back(nullptr);
  return result;
}

// A process with the signals as they are by default: this one may hold some, and ignore others.
int spawn(pid_t& child, std::vector<std::string> words, std::vector<std::string> environment, int output, int errors) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, ignored;
  sigemptyset(&none);
  sigemptyset(&ignored);
  sigaddset(&ignored, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &ignored);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int failure = posix_spawnp(&child, words.front().c_str(), &files, &attributes, pointers(words).data(),
                                   pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return failure;
}

// Whether there may be more to come.
bool take(UniqueFd& from, std::string& text) {
  std::array<char, 4096> buffer{};
  const ssize_t got = read(from.get(), buffer.data(), buffer.size());
  if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
  if (got == 0 || (got < 0 && errno != EINTR)) from.reset();
  return static_cast<bool>(from);
}

// False when time was up before both ends were closed.
bool collect(Pipe& output, Pipe& errors, CommandOutput& result, Clock::time_point end, const std::stop_token& stop) {
  while (output.read || errors.read) {
    if (Clock::now() >= end || stop.stop_requested()) return false;
    std::array<pollfd, 2> ends{{{output.read.get(), POLLIN, 0}, {errors.read.get(), POLLIN, 0}}};
    if (poll(ends.data(), ends.size(), 50) <= 0) continue;
    if (ends[0].revents != 0) take(output.read, result.output);
    if (ends[1].revents != 0) take(errors.read, result.errors);
  }
  return true;
}

}  // namespace

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

Environment present_environment() {
  Environment environment;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string entry = *one;
    const std::size_t equals = entry.find('=');
    if (equals != std::string::npos) environment[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  return environment;
}

Result<CommandOutput> run_command(const std::vector<std::string>& words, const Environment& environment,
                                  std::chrono::milliseconds limit, const std::stop_token& stop) {
  const std::string& name = words.front();
  std::vector<std::string> settings;
  for (const auto& [variable, value] : environment) settings.push_back(variable + "=" + value);
  Pipe output = Pipe::make(), errors = Pipe::make();
  if (!output.write || !errors.write) return error("cannot run " + name + ": " + std::strerror(errno));
  pid_t child = -1;
  if (const int failure = spawn(child, words, std::move(settings), output.write.get(), errors.write.get());
      failure != 0)
    return error("cannot run " + name + ": " + std::strerror(failure));
  output.write.reset();
  errors.write.reset();
  CommandOutput result;
  const bool in_time = collect(output, errors, result, Clock::now() + limit, stop);
  if (!in_time) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (!in_time)
    return error(name + " has not answered within " +
                 std::to_string(std::chrono::duration_cast<std::chrono::seconds>(limit).count()) + " s");
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace cppc::tools
