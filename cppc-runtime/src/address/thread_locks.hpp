/// Locks of the C library that say by a number which thread has them.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace cppc::address {

/// What a mutex's kind says, as glibc has it: its type in the low bits, and flags.
namespace mutex_kind {
constexpr int types = 3;
constexpr int robust = 0x10;           ///< in the thread's list, while it is locked
constexpr int known_to_system = 0x70;  ///< robust, priority inheritance or protection
constexpr int all = 0x3ff;             ///< bits that a kind may have
}  // namespace mutex_kind

/// Whether the C library looks again at who has locked the mutex. Of ordinary ones it does not.
inline bool has_owner(const pthread_mutex_t& mutex) {
  const int kind = mutex.__data.__kind, type = kind & mutex_kind::types;
  return (kind & mutex_kind::known_to_system) != 0 || type == PTHREAD_MUTEX_RECURSIVE ||
         type == PTHREAD_MUTEX_ERRORCHECK;
}

enum class ThreadLock : std::uint8_t {
  none,
  by_number,        ///< a recursive or error-checking mutex, or a read-write lock that is locked for writing
  known_to_system,  ///< a robust mutex or one with priority inheritance
};

/// Whether the aligned word at `offset` names `thread` as the owner of such a lock, all of which lies in `memory`. All
/// members of the lock are looked at, so that a number which happens to be the same is not taken for one.
ThreadLock lock_held_by(std::span<const std::byte> memory, std::uint64_t offset, int thread);

}  // namespace cppc::address
