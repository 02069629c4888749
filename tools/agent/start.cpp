#include "start.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "../common/kept_environment.hpp"
#include "../common/launch_messages.hpp"
#include "cppc/randomization.hpp"

namespace cppc::agent {
namespace {

std::string text_of(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr ? value : "";
}

std::string host() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

int failed(const std::string& what) {
  const int failure = errno;
  spdlog::error("rank {} cannot start on {}: {}: {}", text_of("OMPI_COMM_WORLD_RANK"), host(), what,
                std::strerror(failure));
  return failure == ENOENT ? 127 : 126;
}

std::vector<std::string> candidates(const Start& what) {
  const std::string& name = what.command.front();
  if (name.find('/') != std::string::npos) return {name};
  std::vector<std::string> paths;
  std::istringstream list(what.path + ':' + text_of("PATH"));
  for (std::string directory; std::getline(list, directory, ':');)
    if (!directory.empty()) paths.push_back(directory + '/' + name);
  paths.push_back("./" + name);
  return paths;
}

/// In the environment of what this process turns into.
bool preload(const std::string& library) {
  if (access(library.c_str(), R_OK) != 0) return false;  // the dynamic linker would go on without it
  const std::string others = text_of("LD_PRELOAD");
  return setenv("LD_PRELOAD", (others.empty() ? library : others + ':' + library).c_str(), 1) == 0;
}

}  // namespace

int start(const Start& what) {
  unsetenv(tools::key_variable);  // mpirun hands its own environment to the ranks on its node
  if (const std::string kept = text_of(tools::kept_environment_variable); !kept.empty()) {
    tools::restore_environment(kept);
    unsetenv(tools::kept_environment_variable);
  }
  if (!what.directory.empty()) {
    if (chdir(what.directory.c_str()) != 0) return failed(what.directory);
    std::array<char, PATH_MAX> present{};
    if (getcwd(present.data(), present.size()) != nullptr) setenv("PWD", present.data(), 1);
  }
  if (!what.preload.empty() && !preload(what.preload)) return failed(what.preload);
  std::vector<std::string> command = what.command;
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  execute_without_randomization();
  int failure = ENOENT;
  for (const std::string& path : candidates(what)) {
    execv(path.c_str(), arguments.data());
    if (errno != ENOENT && errno != ENOTDIR) failure = errno;  // one that is there, but cannot be run
  }
  errno = failure;
  return failed(what.command.front());
}

}  // namespace cppc::agent
