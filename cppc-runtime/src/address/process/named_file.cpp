#include "address/process/named_file.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <optional>
#include <utility>

#include "log.hpp"

namespace cppc::address {

namespace {

/// The same on each node, and without anything that a process has made of it.
bool is_common_device(dev_t device) {
  constexpr std::array memory_devices{3U, 5U, 7U, 8U, 9U};  // null, zero, full, random, urandom
  if (major(device) == 1) return std::ranges::find(memory_devices, minor(device)) != memory_devices.end();
  return device == makedev(5, 0);  // the terminal
}

std::string kind_of(const struct stat& state, const std::string& name) {
  if (S_ISFIFO(state.st_mode)) return name.starts_with('/') ? "a named pipe" : "a pipe";
  if (S_ISSOCK(state.st_mode)) return "a socket";
  if (S_ISCHR(state.st_mode) || S_ISBLK(state.st_mode)) return "a device";
  return "an object of this process's kernel";
}

/// For a file in which the kernel tells of this process: that of the process that opens it.
std::optional<std::string> of_own_process(const std::string& path) {
  const std::string own = "/proc/" + std::to_string(getpid()) + '/';
  if (!path.starts_with(own) || path.find('/', own.size()) != std::string::npos) return std::nullopt;
  return "/proc/self/" + path.substr(own.size());
}

bool is_of_kernel(const std::string& path) {
  struct statfs system {};
  if (statfs(path.c_str(), &system) != 0) return false;
  return system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC;
}

}  // namespace

std::string name_of(int number) {
  std::array<char, PATH_MAX> name{};
  const ssize_t length = readlink(("/proc/self/fd/" + std::to_string(number)).c_str(), name.data(), name.size());
  return length > 0 ? std::string(name.data(), static_cast<std::size_t>(length)) : std::string();
}

tl::expected<NamedFile, std::string> find_again(const std::string& name, const struct stat& state) {
  if (S_ISCHR(state.st_mode) && is_common_device(state.st_rdev)) return NamedFile{name};
  if (!S_ISREG(state.st_mode) && !S_ISDIR(state.st_mode)) return tl::unexpected(kind_of(state, name));
  if (name.starts_with("/memfd:")) return tl::unexpected<std::string>("a file in memory without a name");
  if (state.st_nlink == 0) return tl::unexpected<std::string>("a deleted file");
  struct stat found {};
  if (stat(name.c_str(), &found) != 0 || found.st_ino != state.st_ino || found.st_dev != state.st_dev) {
    return tl::unexpected<std::string>("a file that its path no longer leads to");
  }
  if (is_of_kernel(name)) {
    if (const auto own = of_own_process(name); own && S_ISREG(state.st_mode)) return NamedFile{*own};
    return tl::unexpected<std::string>("a file in which the kernel tells of this node or of another process");
  }
  return NamedFile{name, state.st_ino, S_ISREG(state.st_mode) ? static_cast<std::uint64_t>(state.st_size) : 0};
}

tl::expected<UniqueFd, cppc_status> open_named(const NamedFile& file, int flags, const std::string& object) {
  UniqueFd opened(open(file.path.c_str(), flags | O_CLOEXEC | O_NOCTTY));
  struct stat state {};
  if (!opened || fstat(opened.get(), &state) != 0) {
    log().error("cannot open {} for {}: {}; each node has to have the program's files at the same path", file.path,
                object, std::strerror(errno));
    return tl::unexpected(CPPC_ERR_NOT_FOUND);
  }
  if (file.inode != 0 && state.st_ino != file.inode) {
    log().error(
        "{}, opened for {}, is not the file that was open: it has been replaced since then, or this node has "
        "another one; the nodes have to share its file system",
        file.path, object);
    return tl::unexpected(CPPC_ERR_MISMATCH);
  }
  if (S_ISREG(state.st_mode) && static_cast<std::uint64_t>(state.st_size) < file.bytes) {
    log().error("{}, opened for {}, has {} bytes on this node and needs {}", file.path, object, state.st_size,
                file.bytes);
    return tl::unexpected(CPPC_ERR_MISMATCH);
  }
  return opened;
}

}  // namespace cppc::address
