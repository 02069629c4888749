/// All private memory of this process as it is at one moment. The system makes it: a child process has the same pages
/// until one of the two writes to them (copy-on-write). So it takes as long as copying the page tables, and as much
/// memory as what this process changes while the snapshot lives.
///
/// Memory that is shared with other processes is not part of it: there a snapshot has what is there when it is read.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "cppc/unique_fd.hpp"

namespace cppc::migration {

class MemorySnapshot {
 public:
  /// What the child is to do for do_work() takes no locks that other threads may have. It is invisible to this
  /// process's wait() and SIGCHLD, shares its descriptors, and ends when the calling thread does. The error says why
  /// there can be none: the system does not let a process read its child, or would move pages away under a network that
  /// has them registered.
  static tl::expected<MemorySnapshot, std::string> take(const std::function<void()>& work = [] {});
  MemorySnapshot(MemorySnapshot&& other) noexcept;
  MemorySnapshot& operator=(MemorySnapshot&&) = delete;
  ~MemorySnapshot();

  /// Lets the child do its work, once, and waits. False: the child has ended before, or `go_on`, which is asked now and
  /// then, says no.
  [[nodiscard]] bool do_work(const std::function<bool()>& go_on) const;

  /// Fills `to`, as many bytes as all pieces have together, with what was there. No more than `most_pieces`. False,
  /// with errno: the snapshot has been ended, or has not got that memory (MADV_DONTFORK); then take() gives no other.
  [[nodiscard]] bool read(std::span<const iovec> pieces, std::span<std::byte> to) const;
  static constexpr std::size_t most_pieces = 1024;

  /// The child works with this priority; and should memory run out, the system ends the snapshot rather than this
  /// process.
  void give_way(int nice) const;

 private:
  MemorySnapshot(pid_t child, UniqueFd start, UniqueFd done)
      : child_(child), start_(std::move(start)), done_(std::move(done)) {}
  pid_t child_;     ///< 0: there is none
  UniqueFd start_;  ///< can be read when the work is to be done
  UniqueFd done_;   ///< and when it is
};

}  // namespace cppc::migration
