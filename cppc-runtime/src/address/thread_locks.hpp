/// Locks of the C library that say by a number which thread has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cppc::address {

enum class ThreadLock : std::uint8_t {
  none,
  by_number,        ///< a recursive or error-checking mutex, or a read-write lock that is locked for writing
  known_to_system,  ///< a robust mutex or one with priority inheritance
};

/// Whether the aligned word at `offset` names `thread` as the owner of such a lock, all of which lies in `memory`. All
/// members of the lock are looked at, so that a number which happens to be the same is not taken for one.
ThreadLock lock_held_by(std::span<const std::byte> memory, std::uint64_t offset, int thread);

}  // namespace cppc::address
