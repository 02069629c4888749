#include "job_directory.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace cppc::tools {
namespace {

namespace fs = std::filesystem;
constexpr const char* api_suffix = ".sock";
constexpr const char* launch_suffix = ".launch";

// Nothing that would do something to a terminal, wherever the name is printed.
bool is_job_name(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(),
                                      [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
}

}  // namespace

fs::path job_directory_of(uid_t user, const std::string& runtime) {
  return runtime.empty() ? fs::path("/tmp/cppc-" + std::to_string(user)) : fs::path(runtime) / "cppc";
}

Result<void> check_job_directory(const fs::path& path, uid_t user) {
  struct stat status {};
  // lstat: in /tmp a link could have been left by somebody else.
  if (lstat(path.c_str(), &status) != 0) return error("cannot look at " + path.string() + ": " + std::strerror(errno));
  if (S_ISDIR(status.st_mode) && status.st_uid == user && (status.st_mode & 077) == 0) return {};
  const std::string whose = user == geteuid() ? "you" : "user " + std::to_string(user);
  return error(path.string() + " is not a directory that only " + whose +
               " may enter; remove it, or set XDG_RUNTIME_DIR");
}

Result<fs::path> job_directory() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  const fs::path path = job_directory_of(geteuid(), runtime != nullptr ? runtime : "");
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return error("cannot make the directory " + path.string() + ": " + std::strerror(errno));
  }
  if (const auto checked = check_job_directory(path, geteuid()); !checked) return error(checked.error());
  return path;
}

fs::path api_socket(const fs::path& directory, const std::string& job) { return directory / (job + api_suffix); }

fs::path launch_socket(const fs::path& directory, const std::string& job) { return directory / (job + launch_suffix); }

std::vector<std::string> jobs_in(const fs::path& directory) {
  std::vector<std::string> jobs;
  std::error_code ignored;  // a directory that goes away has no jobs
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    const std::string name = entry.path().stem();
    if (entry.path().extension() == api_suffix && is_job_name(name)) jobs.push_back(name);
  }
  std::sort(jobs.begin(), jobs.end());
  return jobs;
}

Result<sockaddr_un> socket_address(const fs::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.native().size() >= sizeof address.sun_path) {
    return error("the path of the socket is too long: " + path.string() + "; set XDG_RUNTIME_DIR to a shorter one");
  }
  path.native().copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

}  // namespace cppc::tools
