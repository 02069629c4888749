#include "address/thread_locks.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

namespace cppc::address {

namespace {

constexpr int kThreadOfLock = 0x3fffffff;

/// A copy of the T of whose member at `member` the word at `offset` is the first part; none if it is not all in memory.
template <class T>
std::optional<T> around(std::span<const std::byte> memory, std::uint64_t offset, std::size_t member) {
  if (offset < member || memory.size() < sizeof(T) || offset - member > memory.size() - sizeof(T)) return std::nullopt;
  T copy;
  std::memcpy(&copy, memory.data() + (offset - member), sizeof copy);
  return copy;
}

/// Whether the thread's list of robust mutexes could go on there.
bool may_be_listed(const pthread_mutex_t& mutex) {
  constexpr std::uintptr_t least = 0x10000;  // below there is no memory
  const auto next = reinterpret_cast<std::uintptr_t>(mutex.__data.__list.__next);
  const auto prev = reinterpret_cast<std::uintptr_t>(mutex.__data.__list.__prev);
  return next >= least && prev >= least;
}

ThreadLock mutex_held(const pthread_mutex_t& mutex, int thread) {
  const auto& data = mutex.__data;
  const int kind = data.__kind;
  if (data.__owner != thread || data.__nusers != 1 || (kind & ~mutex_kind::all) != 0 || data.__elision != 0)
    return ThreadLock::none;
  const bool listed = data.__list.__prev != nullptr || data.__list.__next != nullptr;
  if ((kind & mutex_kind::robust) != 0 ? !may_be_listed(mutex) : listed) return ThreadLock::none;
  if ((kind & mutex_kind::known_to_system) != 0)
    return (data.__lock & kThreadOfLock) == thread ? ThreadLock::known_to_system : ThreadLock::none;
  if (data.__lock != 1 && data.__lock != 2) return ThreadLock::none;
  const bool recursive = (kind & mutex_kind::types) == PTHREAD_MUTEX_RECURSIVE && data.__count > 0;
  const bool checks_errors = (kind & mutex_kind::types) == PTHREAD_MUTEX_ERRORCHECK && data.__count == 0;
  return recursive || checks_errors ? ThreadLock::by_number : ThreadLock::none;
}

bool is_locked_for_writing(const pthread_rwlock_t& lock, int thread) {
  constexpr unsigned locked_for_writing = 3;  // and no readers
  const auto& data = lock.__data;
  return data.__cur_writer == thread && data.__readers == locked_for_writing && data.__pad3 == 0 && data.__pad4 == 0 &&
         (data.__shared == 0 || data.__shared == 1) && data.__pad2 == 0 &&
         data.__flags <= PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP &&
         std::ranges::all_of(data.__pad1, [](unsigned char byte) { return byte == 0; });
}

}  // namespace

ThreadLock lock_held_by(std::span<const std::byte> memory, std::uint64_t offset, int thread) {
  if (const auto mutex = around<pthread_mutex_t>(memory, offset, offsetof(pthread_mutex_t, __data.__owner)))
    if (const ThreadLock held = mutex_held(*mutex, thread); held != ThreadLock::none) return held;
  const auto lock = around<pthread_rwlock_t>(memory, offset, offsetof(pthread_rwlock_t, __data.__cur_writer));
  return lock && is_locked_for_writing(*lock, thread) ? ThreadLock::by_number : ThreadLock::none;
}

}  // namespace cppc::address
