#include "job_directory.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace cppc::tools {
namespace {

namespace fs = std::filesystem;
constexpr const char* api_suffix = ".sock";
constexpr const char* launch_suffix = ".launch";

fs::path chosen_directory() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime != '\0') return fs::path(runtime) / "cppc";
  return "/tmp/cppc-" + std::to_string(geteuid());
}

}  // namespace

Result<fs::path> job_directory() {
  const fs::path path = chosen_directory();
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return error("cannot make the directory " + path.string() + ": " + std::strerror(errno));
  }
  struct stat status {};
  // lstat: in /tmp a link could have been left by somebody else.
  if (lstat(path.c_str(), &status) != 0) return error("cannot look at " + path.string() + ": " + std::strerror(errno));
  if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() || (status.st_mode & 077) != 0) {
    return error(path.string() + " is not a directory that only you may enter; remove it, or set XDG_RUNTIME_DIR");
  }
  return path;
}

fs::path api_socket(const fs::path& directory, const std::string& job) { return directory / (job + api_suffix); }

fs::path launch_socket(const fs::path& directory, const std::string& job) { return directory / (job + launch_suffix); }

std::vector<std::string> jobs_in(const fs::path& directory) {
  std::vector<std::string> jobs;
  std::error_code ignored;  // a directory that goes away has no jobs
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    if (entry.path().extension() == api_suffix) jobs.push_back(entry.path().stem());
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
