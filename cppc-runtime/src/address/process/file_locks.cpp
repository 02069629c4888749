#include "address/process/file_locks.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>

#include "log.hpp"

namespace cppc::address {

namespace {

/// As /proc knows it, which may be another number than getpid() gives.
std::string process_in_proc() {
  std::array<char, 32> name{};
  const ssize_t length = readlink("/proc/self", name.data(), name.size());
  return length > 0 ? std::string(name.data(), static_cast<std::size_t>(length)) : std::string();
}

}  // namespace

tl::expected<FileLocks, cppc_status> FileLocks::read() {
  const std::string own = process_in_proc();
  std::ifstream file("/proc/locks");
  if (!file || own.empty()) {
    log().error("cannot read /proc/locks, which says what files are locked");
    return tl::unexpected(CPPC_ERR_SYSTEM);
  }
  FileLocks locks;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string number, manner, process;
    Entry entry;
    fields >> number >> entry.kind;
    if (entry.kind == "->") continue;  // somebody who waits
    fields >> manner >> entry.mode >> process >> entry.file;
    // A lock of an open file description names no process.
    if (fields && (process == own || entry.kind == "OFDLCK")) locks.entries_.push_back(entry);
  }
  return locks;
}

tl::expected<FileLock, std::string> FileLocks::of(int number, std::size_t times) const {
  struct stat state {};
  if (fstat(number, &state) != 0) return FileLock::none;
  const std::string file = fmt::format("{:02x}:{:02x}:{}", major(state.st_dev), minor(state.st_dev),
                                       static_cast<std::uint64_t>(state.st_ino));
  FileLock found = FileLock::none;
  for (const Entry& entry : entries_) {
    if (entry.file != file) continue;
    if (entry.kind != "FLOCK") return tl::unexpected<std::string>("locked by fcntl()");
    if (times > 1) return tl::unexpected<std::string>("locked by flock() and opened more than once");
    found = entry.mode == "WRITE" ? FileLock::exclusive : FileLock::shared;
  }
  return found;
}

}  // namespace cppc::address
