#include "process.hpp"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>

extern char** environ;

namespace cppc::driver {
namespace {

std::vector<char*> pointers(std::span<const std::string> words) {
  std::vector<char*> result;
  // exec and posix_spawn take char* for C's sake and change nothing.
  for (const std::string& one : words) result.push_back(const_cast<char*>(one.c_str()));
  result.push_back(nullptr);
  return result;
}

// As a shell reads it.
std::string quoted(const std::string& word) {
  constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

void show(std::span<const std::string> words, const std::string& directory) {
  std::string line;
  if (directory != ".") line.append("cd ").append(quoted(directory)).append(" &&");
  for (const std::string& word : words) line.append(line.empty() ? "" : " ").append(quoted(word));
  std::fprintf(stderr, "%s\n", line.c_str());
}

Failure cannot_run(const std::string& program, int reason) {
  return {"cannot run " + program + ": " + std::strerror(reason), 127};
}

int status_of(int raw) { return WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw); }

struct NamelessFile {
  int fd = memfd_create("output", MFD_CLOEXEC);
  NamelessFile() = default;
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;
  ~NamelessFile() {
    if (fd >= 0) close(fd);
  }
  [[nodiscard]] std::string contents() const {
    std::string text;
    char buffer[65536];
    ssize_t got = 0;
    while ((got = pread(fd, buffer, sizeof buffer, static_cast<off_t>(text.size()))) > 0)
      text.append(buffer, static_cast<std::size_t>(got));
    return text;
  }
};

}  // namespace

struct Runner::Child {
  pid_t id;
  std::size_t index;  // of its command
};

Failure become(std::span<const std::string> words, bool verbose) {
  if (verbose) show(words, ".");
  execvp(words.front().c_str(), pointers(words).data());
  return cannot_run(words.front(), errno);
}

Runner::Runner(bool verbose) : verbose_(verbose) {
  signal(SIGCHLD, SIG_DFL);  // ignored, children would vanish without a status
  sigemptyset(&waited_for_);
  sigaddset(&waited_for_, SIGCHLD);
  for (const int number : {SIGHUP, SIGINT, SIGTERM}) {
    struct sigaction present {};
    sigaction(number, nullptr, &present);
    if (present.sa_handler != SIG_IGN) sigaddset(&waited_for_, number);
  }
  sigprocmask(SIG_BLOCK, &waited_for_, &before_);
}

Runner::~Runner() {
  sigprocmask(SIG_SETMASK, &before_, nullptr);
  if (interrupted_by_ != 0) raise(interrupted_by_);
}

Result<pid_t> Runner::start(const Command& command, int output, int errors) {
  if (interrupted_by_ != 0) return failed(128 + interrupted_by_);
  if (verbose_) show(command.words, command.directory);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addchdir_np(&files, command.directory.c_str());
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &before_);
  pid_t id = -1;
  const int reason =
      posix_spawnp(&id, command.words.front().c_str(), &files, &attributes, pointers(command.words).data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (reason != 0) return tl::unexpected(cannot_run(command.words.front(), reason));
  return id;
}

void Runner::wait_for_one(std::vector<Child>& running, std::vector<int>& statuses) {
  while (true) {
    for (auto child = running.begin(); child != running.end(); ++child) {
      int raw = 0;
      if (waitpid(child->id, &raw, WNOHANG) != child->id) continue;
      statuses[child->index] = status_of(raw);
      running.erase(child);
      return;
    }
    const int number = sigwaitinfo(&waited_for_, nullptr);
    if (number == SIGCHLD || number < 0) continue;
    interrupted_by_ = number;
    for (const Child& child : running) kill(child.id, number);
  }
}

Result<int> Runner::run(const Command& command) { return run_all({&command, 1}); }

Result<int> Runner::run_all(std::span<const Command> commands) {
  return run_all(commands, STDOUT_FILENO, STDERR_FILENO);
}

Result<int> Runner::run_all_quietly(std::span<const Command> commands) {
  const NamelessFile output;
  if (output.fd < 0) return error(std::string("cannot make a file in memory: ") + std::strerror(errno));
  return run_all(commands, output.fd, output.fd);
}

Result<int> Runner::run_all(std::span<const Command> commands, int output, int errors) {
  const std::size_t most = std::max(1U, std::thread::hardware_concurrency());
  std::vector<Child> running;
  std::vector<int> statuses(commands.size(), 0);
  Result<int> result = 0;
  for (std::size_t index = 0; index < commands.size() && result; ++index) {
    if (running.size() == most) wait_for_one(running, statuses);
    if (const auto id = start(commands[index], output, errors)) {
      running.push_back({*id, index});
    } else {
      result = tl::unexpected(id.error());
    }
  }
  while (!running.empty()) wait_for_one(running, statuses);
  if (!result) return result;
  const auto bad = std::find_if(statuses.begin(), statuses.end(), [](int status) { return status != 0; });
  return bad == statuses.end() ? 0 : *bad;
}

Result<Output> Runner::capture(const Command& command) {
  const NamelessFile output, errors;
  if (output.fd < 0 || errors.fd < 0)
    return error(std::string("cannot make a file in memory: ") + std::strerror(errno));
  const auto id = start(command, output.fd, errors.fd);
  if (!id) return tl::unexpected(id.error());
  std::vector<Child> running{{*id, 0}};
  std::vector<int> statuses(1, 0);
  wait_for_one(running, statuses);
  return Output{statuses.front(), output.contents(), errors.contents()};
}

}  // namespace cppc::driver
