#include "cost.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "job.hpp"

namespace cppc::bench {

Cost cost_of(const std::vector<std::string>& command) {
  const test::Folder folder;
  const std::string errors = folder.file("errors");
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const auto begin = std::chrono::steady_clock::now();
  pid_t child = -1;
  const int failed = posix_spawnp(&child, words.front(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    std::fprintf(stderr, "cannot start %s: %s\n", words.front(), std::strerror(failed));
    std::exit(1);
  }
  int status = 0;
  rusage usage{};
  while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  Cost cost;
  cost.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  cost.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  cost.megabytes = static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
  std::ifstream file(errors);
  cost.errors.assign(std::istreambuf_iterator<char>(file), {});
  return cost;
}

}  // namespace cppc::bench
