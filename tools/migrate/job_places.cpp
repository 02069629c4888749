#include "job_places.hpp"

#include <pwd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "../common/job_directory.hpp"

namespace cppc::migrate {
namespace {

namespace fs = std::filesystem;

constexpr const char* directories_variable = "CPPC_JOB_DIRECTORIES";

fs::path link(const fs::path& path) {
  std::error_code ignored;  // the process has ended, or is another user's
  return fs::read_symlink(path, ignored);
}

// A file of /proc, whole; its size is not known beforehand.
std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool runs_cppc_run(const fs::path& process) {
  std::string program = link(process / "exe").filename();
  constexpr std::string_view replaced = " (deleted)";
  if (program.ends_with(replaced)) program.resize(program.size() - replaced.size());
  return program == "cppc-run";
}

// As the process calls itself: the last of the numbers that it has in the namespaces around it.
pid_t own_number(const fs::path& process, pid_t otherwise) {
  std::istringstream lines(content(process / "status"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("NSpid:")) continue;
    const std::size_t last = line.find_last_of(" \t");
    std::from_chars(line.data() + last + 1, line.data() + line.size(), otherwise);
  }
  return otherwise;
}

std::string setting(const fs::path& process, const std::string& name) {
  const std::string environment = '\0' + content(process / "environ");
  const std::string begin = '\0' + name + '=';
  const std::size_t found = environment.find(begin);
  if (found == std::string::npos) return "";
  return environment.substr(found + begin.size()).c_str();
}

// Two ways may lead to one directory: the own one and that of a process.
void add(std::vector<JobPlace>& places, const fs::path& directory, uid_t user) {
  std::error_code ignored;  // a directory that is not there is not the same
  for (const JobPlace& known : places)
    if (fs::equivalent(known.directory, directory, ignored)) return;
  if (tools::check_job_directory(directory, user)) places.push_back({directory, user});
}

Result<JobPlaces> named_places(const std::string& list, bool everybody) {
  JobPlaces found;
  std::istringstream directories(list);
  for (std::string directory; std::getline(directories, directory, ':');) {
    struct stat status {};
    if (stat(directory.c_str(), &status) != 0 || (status.st_uid != geteuid() && !everybody)) continue;
    if (const auto checked = tools::check_job_directory(directory, status.st_uid); !checked)
      return tools::error(checked.error());
    found.places.push_back({directory, status.st_uid});
  }
  return found;
}

// What a process calls `path`. Only when it sees other files is the way by the process itself, which ends with it.
fs::path as_seen_by(const fs::path& process, const fs::path& path) {
  std::error_code ignored;  // the process has ended
  const bool same = link(process / "ns/mnt") == link("/proc/self/ns/mnt") &&
                    fs::equivalent(process / "root", "/proc/self/root", ignored);
  return same ? path : process / "root" / path.relative_path();
}

void find_runners(JobPlaces& found, bool everybody) {
  const fs::path network = link("/proc/self/ns/net");
  std::error_code ignored;  // processes come and go
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    pid_t process = 0;
    const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), process);
    struct stat status {};
    if (failure != std::errc{} || end != name.data() + name.size() || stat(entry.path().c_str(), &status) != 0)
      continue;
    if (status.st_uid != geteuid() && !everybody) continue;
    if (!runs_cppc_run(entry.path()) || link(entry.path() / "ns/net") != network) continue;
    found.runners.push_back({process, own_number(entry.path(), process), status.st_uid});
    const fs::path directory = tools::job_directory_of(status.st_uid, setting(entry.path(), "XDG_RUNTIME_DIR"));
    add(found.places, as_seen_by(entry.path(), directory), status.st_uid);
  }
}

}  // namespace

Result<JobPlaces> job_places(bool everybody) {
  everybody = everybody && geteuid() == 0;
  if (const char* list = std::getenv(directories_variable)) return named_places(list, everybody);
  const auto own = tools::job_directory();
  if (!own) return tools::error(own.error());
  JobPlaces found{{{*own, geteuid()}}, {}};
  find_runners(found, everybody);
  return found;
}

bool is_at_work(const Runner& runner) { return runs_cppc_run("/proc/" + std::to_string(runner.process)); }

bool may_be_starting(const Runner& runner) {
  constexpr int fields_before = 19;  // between the name in brackets and when it was started: proc(5)
  constexpr std::chrono::seconds longest(30);
  std::ifstream file("/proc/" + std::to_string(runner.process) + "/stat");
  std::string text;
  std::getline(file, text);
  std::istringstream fields(text.substr(std::min(text.rfind(')') + 1, text.size())));
  std::string skipped;
  for (int i = 0; i < fields_before; ++i) fields >> skipped;
  double started = 0;  // in ticks since the machine was started
  timespec now{};
  if (!(fields >> started) || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return false;
  const std::chrono::duration<double> age(static_cast<double>(now.tv_sec) -
                                          started / static_cast<double>(sysconf(_SC_CLK_TCK)));
  return age < longest;
}

}  // namespace cppc::migrate
