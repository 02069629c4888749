#include "state_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "clock.hpp"

namespace cppc::health {
namespace {

using tools::error;

std::string own_host() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "this machine";
}

std::string content(int file) {
  std::array<char, 512> text{};
  const ssize_t size = pread(file, text.data(), text.size(), 0);
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : "a process that has not said which";
}

}  // namespace

Result<UniqueFd> lock_state(const std::filesystem::path& directory) {
  std::error_code failure;
  if (std::filesystem::create_directories(directory, failure))
    std::filesystem::permissions(directory, std::filesystem::perms::owner_all, failure);
  if (failure) return error("cannot make the directory " + directory.string() + ": " + failure.message());
  const std::filesystem::path path = directory / "lock";
  UniqueFd file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return error("cannot open " + path.string() + ": " + std::strerror(errno));
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return error("cannot lock " + path.string() + ": " + std::strerror(errno));
    return error("another cppc-health works with " + directory.string() + ": " + content(file.get()) +
                 "; end that one first");
  }
  const std::string self = "process " + std::to_string(getpid()) + " on " + own_host() + " since " + wall_time();
  if (ftruncate(file.get(), 0) != 0 || pwrite(file.get(), self.data(), self.size(), 0) < 0)
    return error("cannot write " + path.string() + ": " + std::strerror(errno));
  return file;
}

}  // namespace cppc::health
