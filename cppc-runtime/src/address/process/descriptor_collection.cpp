#include "address/process/descriptor_collection.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "log.hpp"

namespace cppc::address::descriptors {

std::string label(int number, const std::string& name) {
  return "descriptor " + std::to_string(number) + " (" + name + ")";
}

namespace {

cppc_status refuse(int number, const std::string& name, const std::string& what) {
  log().error("{} is {}, which cannot be carried to another process; close it before the rank is moved",
              label(number, name), what);
  return CPPC_ERR_UNSUPPORTED;
}

/// What is written by this process's system alone may not be seen by another node's until it is told to. File systems
/// of one node need not be.
cppc_status bring_to_other_nodes(int number, const std::string& path) {
  struct statfs system {};
  if (fstatfs(number, &system) != 0) return CPPC_OK;
  constexpr std::array<long, 5> local{TMPFS_MAGIC, EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC,
                                      OVERLAYFS_SUPER_MAGIC};
  if (std::ranges::find(local, static_cast<long>(system.f_type)) != local.end()) return CPPC_OK;
  if (fsync(number) == 0 || errno == EINVAL || errno == EROFS) return CPPC_OK;
  log().error("{} cannot be written to its file system: {}", label(number, path), std::strerror(errno));
  return CPPC_ERR_SYSTEM;
}

/// The program may have opened it as /dev/stdout: then it is what the process was started with.
int standard_of(const struct stat& state, int flags) {
  if (S_ISREG(state.st_mode) || S_ISDIR(state.st_mode)) return -1;
  for (int number = 0; number < kStandard; ++number) {
    struct stat other {};
    if (description_of(number) != standard(number) || fstat(number, &other) != 0) continue;
    const bool same = other.st_dev == state.st_dev && other.st_ino == state.st_ino;
    if (same && ((flags & O_ACCMODE) == O_RDONLY) == (number == 0)) return number;
  }
  return -1;
}

}  // namespace

cppc_status Collection::add(int number) {
  const Description description = description_of(number);
  const int descriptor_flags = description == kClosed ? -1 : fcntl(number, F_GETFD);
  if (descriptor_flags < 0) {  // closed, by the program or behind libcppc's back
    if (number < kStandard) numbers_.push_back({number, false, none()});
    return CPPC_OK;
  }
  const auto [known, is_new] = indices_.try_emplace(description, static_cast<std::uint32_t>(opened_.size()));
  if (is_new) {
    Opened opened{.number = number};
    if (const cppc_status status = describe(number, description, opened); status != CPPC_OK) return status;
    opened_.push_back(std::move(opened));
  }
  numbers_.push_back({number, (descriptor_flags & FD_CLOEXEC) != 0, known->second});
  return CPPC_OK;
}

void Collection::write(ByteWriter& out) const {
  out.u64(opened_.size());
  for (const Opened& opened : opened_) {
    out.u8(static_cast<std::uint8_t>(opened.kind));
    out.i32(opened.number);
    out.text(opened.file.path);
    out.u64(opened.file.inode);
    out.u64(opened.file.bytes);
    out.i32(opened.flags);
    out.i64(opened.offset);
    address::write(opened.locks, out);
    out.i64(opened.written_size);
    if (opened.kind != Kind::deleted) continue;
    out.text(opened.deleted.directory);
    out.u32(opened.deleted.mode);
    out.block(opened.deleted.contents);
  }
  out.u64(numbers_.size());
  for (const Number& number : numbers_) {
    out.i32(number.number);
    out.u8(number.closes_on_exec);
    out.u32(number.opened);
  }
}

cppc_status Collection::describe(int number, Description description, Opened& opened) {
  const std::string name = name_of(number);
  struct stat state {};
  opened.flags = fcntl(number, F_GETFL);
  if (name.empty() || opened.flags < 0 || fstat(number, &state) != 0) {
    log().error("descriptor {} cannot be looked at: {}", number, std::strerror(errno));
    return CPPC_ERR_SYSTEM;
  }
  const int own = description <= kStandard ? static_cast<int>(description) - 1 : standard_of(state, opened.flags);
  if (own >= 0) {
    opened.kind = Kind::standard;
    opened.number = own;
    return CPPC_OK;
  }
  if (S_ISREG(state.st_mode) && state.st_nlink == 0 && !name.starts_with("/memfd:"))
    return describe_deleted(number, name, state, is_created(description), opened);
  auto file = find_again(name, state);
  if (!file) return refuse(number, name, file.error());
  if ((opened.flags & O_ASYNC) != 0) return refuse(number, name, "a file that sends signals");
  const auto locks = locks_of(number);
  if (!locks) return refuse(number, name, locks.error());
  opened.kind = Kind::file;
  opened.file = *file;
  opened.locks = *locks;
  if ((opened.flags & O_PATH) != 0) return CPPC_OK;
  opened.offset = std::max<std::int64_t>(0, lseek(number, 0, SEEK_CUR));
  opened.file.bytes = std::min(opened.file.bytes, static_cast<std::uint64_t>(opened.offset));
  const bool written = S_ISREG(state.st_mode) && (opened.flags & O_ACCMODE) != O_RDONLY;
  if (!written) return CPPC_OK;
  opened.written_size = state.st_size;
  return bring_to_other_nodes(number, name);
}

cppc_status Collection::describe_deleted(int number, const std::string& name, const struct stat& state, bool created,
                                         Opened& opened) {
  if (!deleted_.insert({state.st_dev, state.st_ino}).second)
    return refuse(number, name, "a deleted file that is open more than once");
  const auto locks = locks_of(number);
  if (!locks) return refuse(number, name, locks.error());
  // It is read by another descriptor, whose close() would end those of the process.
  if (std::ranges::find(*locks, FileLock::Manner::process, &FileLock::manner) != locks->end())
    return refuse(number, name, "a deleted file that is locked by fcntl()");
  auto file = read_deleted(number, name, state, created);
  if (!file) return refuse(number, name, file.error());
  opened.kind = Kind::deleted;
  opened.file.path = name;
  opened.locks = *locks;
  opened.deleted = std::move(*file);
  opened.offset = lseek(number, 0, SEEK_CUR);
  return CPPC_OK;
}

}  // namespace cppc::address::descriptors
