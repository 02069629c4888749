/// All private memory of this process as it is at one moment. The system makes it: a child process has the same pages
/// until one of the two writes to them (copy-on-write), and does nothing. So it takes as long as copying the page
/// tables, and as much memory as what this process changes while the snapshot lives.
///
/// Memory that is shared with other processes is not part of it: there a snapshot has what is there when it is read.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <span>
#include <string>
#include <tl/expected.hpp>

namespace cppc::migration {

class MemorySnapshot {
 public:
  /// The child is invisible to this process's wait() and SIGCHLD, shares its descriptors, and ends when the calling
  /// thread does. The error says why there can be none: the system does not let a process read its child, or would move
  /// pages away under a network that has them registered.
  static tl::expected<MemorySnapshot, std::string> take();
  MemorySnapshot(MemorySnapshot&& other) noexcept;
  MemorySnapshot& operator=(MemorySnapshot&&) = delete;
  ~MemorySnapshot();

  /// Fills `to`, as many bytes as all pieces have together, with what was there. No more than `most_pieces`. False,
  /// with errno: the snapshot has been ended, or has not got that memory (MADV_DONTFORK); then take() gives no other.
  [[nodiscard]] bool read(std::span<const iovec> pieces, std::span<std::byte> to) const;
  static constexpr std::size_t most_pieces = 1024;

  /// Should memory run out, the system ends the snapshot rather than this process.
  void yield_memory() const;

 private:
  explicit MemorySnapshot(pid_t child) : child_(child) {}
  pid_t child_;  ///< 0: there is none
};

}  // namespace cppc::migration
