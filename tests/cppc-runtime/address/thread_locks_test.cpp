#include "address/thread_locks.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <cstring>

namespace cppc::address {
namespace {

constexpr std::size_t kOwner = offsetof(pthread_mutex_t, __data.__owner);
constexpr std::size_t kWriter = offsetof(pthread_rwlock_t, __data.__cur_writer);

template <class Lock>
ThreadLock look(const Lock& lock, std::size_t offset) {
  return lock_held_by(std::as_bytes(std::span(&lock, 1)), offset, gettid());
}

class Mutex {
 public:
  explicit Mutex(int type, int robust = PTHREAD_MUTEX_STALLED) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutexattr_setrobust(&attributes, robust);
    pthread_mutex_init(&mutex_, &attributes);
    pthread_mutexattr_destroy(&attributes);
  }
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;
  ~Mutex() { pthread_mutex_destroy(&mutex_); }
  void lock() { pthread_mutex_lock(&mutex_); }
  void unlock() { pthread_mutex_unlock(&mutex_); }
  [[nodiscard]] ThreadLock held() const { return look(mutex_, kOwner); }

 private:
  pthread_mutex_t mutex_{};
};

TEST(ThreadLocks, MutexesThatCompareTheirOwnerAreHeldFromLockToUnlock) {
  for (const int type : {PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK}) {
    Mutex mutex(type);
    EXPECT_EQ(mutex.held(), ThreadLock::none);
    mutex.lock();
    EXPECT_EQ(mutex.held(), ThreadLock::by_number);
    mutex.unlock();
    EXPECT_EQ(mutex.held(), ThreadLock::none);
  }
}

TEST(ThreadLocks, OtherMutexesDoNotCompareTheirOwner) {
  Mutex mutex(PTHREAD_MUTEX_NORMAL);
  mutex.lock();
  EXPECT_EQ(mutex.held(), ThreadLock::none);
  mutex.unlock();
}

TEST(ThreadLocks, TheSystemKnowsOfRobustMutexes) {
  Mutex mutex(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ROBUST);
  mutex.lock();
  EXPECT_EQ(mutex.held(), ThreadLock::known_to_system);
  mutex.unlock();
}

TEST(ThreadLocks, AReadWriteLockIsHeldWhenItIsLockedForWriting) {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  pthread_rwlock_rdlock(&lock);
  EXPECT_EQ(look(lock, kWriter), ThreadLock::none);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_wrlock(&lock);
  EXPECT_EQ(look(lock, kWriter), ThreadLock::by_number);
  pthread_rwlock_unlock(&lock);
}

TEST(ThreadLocks, ANumberAloneIsNoLock) {
  for (const int thread : {7, 50, 114, 700, 40000}) {  // small ones are kinds of mutexes, too
    std::array<std::uint64_t, 16> numbers{};
    numbers.fill(static_cast<std::uint64_t>(thread));
    numbers[8] |= std::uint64_t{1} << 32;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      EXPECT_EQ(lock_held_by(std::as_bytes(std::span(numbers)), i * sizeof numbers[0], thread), ThreadLock::none)
          << thread << ' ' << i;
  }
}

TEST(ThreadLocks, AllOfALockHasToBeInMemory) {
  pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  pthread_mutex_lock(&mutex);
  const auto bytes = std::as_bytes(std::span(&mutex, 1));
  EXPECT_EQ(lock_held_by(bytes.first(bytes.size() - 1), kOwner, gettid()), ThreadLock::none);
  EXPECT_EQ(lock_held_by(bytes.subspan(1), kOwner - 1, gettid()), ThreadLock::none);
  pthread_mutex_unlock(&mutex);
}

}  // namespace
}  // namespace cppc::address
