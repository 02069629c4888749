#include "address/process/held_locks.hpp"

#include <pthread.h>
#include <threads.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

#include "address/process/next.hpp"
#include "address/thread_locks.hpp"

namespace cppc::address::held_locks {

namespace {

constexpr std::size_t kMost = 256;

constinit std::array<const void*, kMost> owners{};
constinit std::size_t count = 0;
constinit bool more = false;

/// The main thread's number, too. A child of fork() has another one, and nothing of it is carried.
const int own_number = getpid();

auto end() { return owners.begin() + static_cast<std::ptrdiff_t>(count); }

void add(const void* owner) {
  if (is_held(owner)) return;
  if (count == kMost)
    more = true;
  else
    owners[count++] = owner;
}

void forget(const void* owner) {
  const auto found = std::find(owners.begin(), end(), owner);
  if (found == end()) return;
  *found = owners[--count];
}

/// Before it is unlocked: it may be gone then. Null when the main thread holds it still, or somebody else does.
const void* last_hold(const pthread_mutex_t& mutex) {
  const bool last = mutex.__data.__count <= 1;
  return has_owner(mutex) && last && mutex.__data.__owner == own_number ? &mutex.__data.__owner : nullptr;
}

int unlocked(int status, const void* owner) {
  if (status == 0 && owner != nullptr) forget(owner);
  return status;
}

// What C11 has are these mutexes.
const pthread_mutex_t* mutex_of(const mtx_t* mutex) { return reinterpret_cast<const pthread_mutex_t*>(mutex); }
static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t));

int noted(int status, const mtx_t* mutex) {
  if (status == thrd_success) note(0, mutex_of(mutex));
  return status;
}

}  // namespace

bool is_held(const void* owner) { return std::find(owners.begin(), end(), owner) != end(); }

int note(int status, const pthread_mutex_t* mutex) {
  if ((status == 0 || status == EOWNERDEAD) && has_owner(*mutex) && mutex->__data.__owner == own_number)
    add(&mutex->__data.__owner);
  return status;
}

int note(int status, const pthread_rwlock_t* lock) {
  if (status == 0 && lock->__data.__cur_writer == own_number) add(&lock->__data.__cur_writer);
  return status;
}

void take_over(const void* owner) { add(owner); }

bool too_many() { return more; }

}  // namespace cppc::address::held_locks

using namespace cppc::address::held_locks;

#pragma GCC visibility push(default)

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept { return note(CPPC_NEXT(pthread_mutex_lock)(mutex), mutex); }

int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  return note(CPPC_NEXT(pthread_mutex_trylock)(mutex), mutex);
}

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* time) noexcept {
  return note(CPPC_NEXT(pthread_mutex_timedlock)(mutex, time), mutex);
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  const void* const owner = last_hold(*mutex);
  return unlocked(CPPC_NEXT(pthread_mutex_unlock)(mutex), owner);
}

int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  return note(CPPC_NEXT(pthread_rwlock_wrlock)(lock), lock);
}

int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  return note(CPPC_NEXT(pthread_rwlock_trywrlock)(lock), lock);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* time) noexcept {
  return note(CPPC_NEXT(pthread_rwlock_timedwrlock)(lock, time), lock);
}

int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  const void* const owner = lock->__data.__cur_writer == own_number ? &lock->__data.__cur_writer : nullptr;
  return unlocked(CPPC_NEXT(pthread_rwlock_unlock)(lock), owner);
}

int mtx_lock(mtx_t* mutex) { return noted(CPPC_NEXT(mtx_lock)(mutex), mutex); }

int mtx_trylock(mtx_t* mutex) { return noted(CPPC_NEXT(mtx_trylock)(mutex), mutex); }

int mtx_timedlock(mtx_t* mutex, const timespec* time) { return noted(CPPC_NEXT(mtx_timedlock)(mutex, time), mutex); }

int mtx_unlock(mtx_t* mutex) {
  const void* const owner = last_hold(*mutex_of(mutex));
  const int status = CPPC_NEXT(mtx_unlock)(mutex);
  unlocked(status == thrd_success ? 0 : EPERM, owner);
  return status;
}

}  // extern "C"

#pragma GCC visibility pop
