#include "process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

extern char** environ;

namespace cppc::test {
namespace {

[[noreturn]] void give_up(const char* what, int error) {
  std::fprintf(stderr, "%s: %s\n", what, std::strerror(error));
  std::exit(1);
}

int nameless_file() {
  const int file = memfd_create("output", MFD_CLOEXEC);
  if (file < 0) give_up("cannot make a file for the output of a process", errno);
  return file;
}

std::string contents(int file) {
  std::string text;
  char buffer[65536];
  ssize_t got = 0;
  while ((got = pread(file, buffer, sizeof buffer, static_cast<off_t>(text.size()))) > 0)
    text.append(buffer, static_cast<std::size_t>(got));
  return text;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (auto& one : strings) result.push_back(one.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

Process::Process(const std::vector<std::string>& command, const std::vector<std::string>& environment)
    : output_(nameless_file()), errors_(nameless_file()) {
  std::vector<std::string> arguments = command;
  std::vector<std::string> settings = environment;
  for (char** one = environ; *one != nullptr; ++one) settings.emplace_back(*one);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output_, 1);
  posix_spawn_file_actions_adddup2(&files, errors_, 2);
  const int error = posix_spawnp(&id_, arguments.front().c_str(), &files, nullptr, pointers(arguments).data(),
                                 pointers(settings).data());
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) give_up(command.front().c_str(), error);
}

Process::Process(Process&& other) noexcept
    : id_(std::exchange(other.id_, -1)),
      output_(std::exchange(other.output_, -1)),
      errors_(std::exchange(other.errors_, -1)),
      status_(std::exchange(other.status_, std::nullopt)) {}

Process::~Process() {
  if (running()) {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  if (output_ >= 0) close(output_);
  if (errors_ >= 0) close(errors_);
}

void Process::signal(int number) const { kill(id_, number); }

bool Process::running() {
  if (id_ < 0 || status_) return false;
  int status = 0;
  if (waitpid(id_, &status, WNOHANG) != id_) return true;
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return false;
}

Finished Process::wait(std::chrono::seconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (running() && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  if (running()) {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
    status_ = 124;
  }
  return {*status_, output(), errors()};
}

std::string Process::output() const { return contents(output_); }

std::string Process::errors() const { return contents(errors_); }

Finished run(const std::vector<std::string>& command, std::chrono::seconds limit) {
  return Process(command).wait(limit);
}

}  // namespace cppc::test
