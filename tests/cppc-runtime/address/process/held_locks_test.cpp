#include "address/process/held_locks.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <threads.h>

#include <thread>
#include <vector>

namespace cppc::address {
namespace {

TEST(HeldLocks, ARecursiveMutexIsHeldUntilItsLastUnlock) {
  pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  const void* const owner = &mutex.__data.__owner;
  EXPECT_FALSE(held_locks::is_held(owner));
  pthread_mutex_lock(&mutex);
  pthread_mutex_trylock(&mutex);
  EXPECT_TRUE(held_locks::is_held(owner));
  pthread_mutex_unlock(&mutex);
  EXPECT_TRUE(held_locks::is_held(owner));
  pthread_mutex_unlock(&mutex);
  EXPECT_FALSE(held_locks::is_held(owner));
}

TEST(HeldLocks, AReadWriteLockIsHeldWhileItIsLockedForWriting) {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  const void* const owner = &lock.__data.__cur_writer;
  pthread_rwlock_rdlock(&lock);
  EXPECT_FALSE(held_locks::is_held(owner));
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_trywrlock(&lock);
  EXPECT_TRUE(held_locks::is_held(owner));
  pthread_rwlock_unlock(&lock);
  EXPECT_FALSE(held_locks::is_held(owner));
}

TEST(HeldLocks, MutexesOfC11AreHeldLikewise) {
  mtx_t mutex;
  ASSERT_EQ(mtx_init(&mutex, mtx_recursive), thrd_success);
  const void* const owner = &reinterpret_cast<pthread_mutex_t*>(&mutex)->__data.__owner;
  mtx_lock(&mutex);
  EXPECT_TRUE(held_locks::is_held(owner));
  mtx_unlock(&mutex);
  EXPECT_FALSE(held_locks::is_held(owner));
  mtx_destroy(&mutex);
}

TEST(HeldLocks, OtherThreadsLocksAreTheirOwn) {
  pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  std::thread([&] {
    pthread_mutex_lock(&mutex);
    EXPECT_FALSE(held_locks::is_held(&mutex.__data.__owner));
    pthread_mutex_unlock(&mutex);
  }).join();
}

TEST(HeldLocks, ItIsToldWhenThereAreMoreThanAreRemembered) {
  std::vector<pthread_mutex_t> mutexes(300, PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP);
  EXPECT_FALSE(held_locks::too_many());
  for (pthread_mutex_t& mutex : mutexes) pthread_mutex_lock(&mutex);
  EXPECT_TRUE(held_locks::too_many());
  for (pthread_mutex_t& mutex : mutexes) pthread_mutex_unlock(&mutex);
}

}  // namespace
}  // namespace cppc::address
