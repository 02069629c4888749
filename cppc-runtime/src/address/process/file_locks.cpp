#include "address/process/file_locks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

namespace cppc::address {

namespace {

using Manner = FileLock::Manner;

std::optional<Manner> manner_named(const std::string& kind) {
  if (kind == "FLOCK") return Manner::flock;
  if (kind == "POSIX") return Manner::process;
  if (kind == "OFDLCK") return Manner::open;
  return std::nullopt;
}

int set_range(const HeldLock& held, short type) {
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = held.lock.start;
  range.l_len = held.lock.bytes;
  const int result = fcntl(held.number, held.lock.manner == Manner::process ? F_SETLK : F_OFD_SETLK, &range);
  if (result != 0 && errno == EACCES) errno = EAGAIN;
  return result;
}

}  // namespace

/// Not from /proc/locks: to open that, the system waits for all its processors, which takes 10 ms.
tl::expected<std::vector<FileLock>, std::string> locks_of(int number) {
  std::ifstream file(fmt::format("/proc/self/fdinfo/{}", number));
  if (!file) return tl::unexpected<std::string>("open, but the system does not say whether it is locked");
  std::vector<FileLock> found;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string label, count, kind, manner, mode, process, inode, end;
    std::int64_t start = 0;
    fields >> label >> count >> kind >> manner >> mode >> process >> inode >> start >> end;
    if (label != "lock:") continue;
    const auto how = manner_named(kind);
    if (!how || fields.fail()) return tl::unexpected<std::string>("under a lease");
    const std::int64_t bytes = end == "EOF" ? 0 : std::strtoll(end.c_str(), nullptr, 10) - start + 1;
    found.push_back({.manner = *how, .exclusive = mode == "WRITE", .start = start, .bytes = bytes});
  }
  return found;
}

int take(const HeldLock& held) {
  if (held.lock.manner == Manner::flock) return flock(held.number, (held.lock.exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB);
  return set_range(held, held.lock.exclusive ? F_WRLCK : F_RDLCK);
}

void release(const HeldLock& held) {
  if (held.lock.manner == Manner::flock)
    (void)flock(held.number, LOCK_UN);
  else
    (void)set_range(held, F_UNLCK);
}

void write(const std::vector<FileLock>& locks, ByteWriter& out) {
  out.u64(locks.size());
  for (const FileLock& lock : locks) {
    out.u8(static_cast<std::uint8_t>(lock.manner));
    out.u8(lock.exclusive ? 1 : 0);
    out.i64(lock.start);
    out.i64(lock.bytes);
  }
}

std::vector<FileLock> read_locks(ByteReader& in) {
  std::vector<FileLock> locks(in.count(18));
  for (FileLock& lock : locks) {
    lock.manner = static_cast<Manner>(in.u8());
    lock.exclusive = in.u8() != 0;
    lock.start = in.i64();
    lock.bytes = in.i64();
    if (lock.manner > Manner::open || lock.start < 0 || lock.bytes < 0) in.fail();
  }
  return locks;
}

}  // namespace cppc::address
