/// Locks of the C library that the main thread holds and that say by its number who does: recursive, error-checking and
/// robust mutexes, those with priority inheritance or protection, and read-write locks that are locked for writing.
/// Known by the functions that lock and unlock them, so that no number of the program's is taken for an owner.
///
/// Changed by the main thread alone.
#pragma once

#include <pthread.h>

namespace cppc::address::held_locks {

/// Whether the word at `owner` has the number of the main thread, as the owner of a lock.
bool is_held(const void* owner);

/// What a function that locks it has returned; returns it.
int note(int status, const pthread_mutex_t* mutex);
int note(int status, const pthread_rwlock_t* lock);

/// In a replacement, whose program holds that lock.
void take_over(const void* owner);

/// Whether there have been more at a time than are remembered.
bool too_many();

}  // namespace cppc::address::held_locks
