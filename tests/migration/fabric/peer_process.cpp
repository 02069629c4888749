#include "peer_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (auto& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// The shm provider leaves its segment, "<pid>:...", behind a process that was killed.
void remove_segments(pid_t pid) {
  const std::string prefix = std::to_string(pid) + ":";
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    if (entry.path().filename().string().starts_with(prefix)) std::filesystem::remove(entry.path());
  }
}

}  // namespace

PeerProcess::PeerProcess(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
  std::array<int, 2> pipe_ends{};
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  output_.reset(fdopen(pipe_ends[0], "r"));
  log_.reset(fdopen(memfd_create("log", MFD_CLOEXEC), "r+"));

  std::vector<std::string> command = {FABRIC_PEER};
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = environment;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(log_.get()), STDERR_FILENO);
  const int rc =
      posix_spawn(&pid_, FABRIC_PEER, &actions, nullptr, pointers(command).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  if (rc != 0) throw std::runtime_error("cannot start " FABRIC_PEER);
}

PeerProcess::~PeerProcess() {
  if (pid_ > 0) reap(true);
}

std::string PeerProcess::read_line() {
  std::string line;
  for (int c = std::fgetc(output_.get()); c != EOF && c != '\n'; c = std::fgetc(output_.get())) {
    line += static_cast<char>(c);
  }
  return line;
}

std::string PeerProcess::offer() {
  const std::string line = read_line();
  if (line.starts_with("offer ")) return line.substr(6);
  held_ = line;
  return {};
}

void PeerProcess::reap(bool kill_first) {
  if (kill_first) kill(pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  killed_ = WIFSIGNALED(status);
  if (killed_) remove_segments(pid_);
  pid_ = -1;
}

PeerProcess::Result PeerProcess::wait() {
  Result result;
  for (std::string line = held_.empty() ? read_line() : std::exchange(held_, {}); !line.empty(); line = read_line()) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "result") {
      int status = 0;
      words >> status >> result.bytes >> result.sent >> result.again;
      result.status = static_cast<cppc_status>(status);
    }
    if (line == "contents right") result.contents_right = true;
  }
  reap(false);
  result.killed = killed_;
  std::rewind(log_.get());
  for (int c = std::fgetc(log_.get()); c != EOF; c = std::fgetc(log_.get())) result.log += static_cast<char>(c);
  return result;
}
