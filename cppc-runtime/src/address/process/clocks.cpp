#include "address/process/clocks.hpp"

#include <pthread.h>
#include <semaphore.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "address/process/held_locks.hpp"
#include "address/process/next.hpp"
#include "address/process/threads.hpp"
#include "address/program_time.hpp"

namespace cppc::address::clocks {

namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

/// What is carried; each has its offset, the program's time minus the system's.
enum Kind : std::size_t { monotonic, raw, since_boot, processor, user, in_system, kinds };

constinit std::array<std::atomic<std::int64_t>, kinds> offsets{};
constinit std::array<std::int64_t, kinds> captured{};
constinit std::int64_t captured_at = 0;  ///< by the wall clock

nanoseconds duration(const timespec& time) { return seconds(time.tv_sec) + nanoseconds(time.tv_nsec); }
nanoseconds duration(const timeval& time) { return seconds(time.tv_sec) + microseconds(time.tv_usec); }

timespec as_timespec(nanoseconds time) {
  const auto whole = std::chrono::floor<seconds>(time);
  return {.tv_sec = whole.count(), .tv_nsec = (time - whole).count()};
}

timeval as_timeval(nanoseconds time) {
  const auto whole = std::chrono::floor<seconds>(time);
  return {.tv_sec = whole.count(), .tv_usec = std::chrono::floor<microseconds>(time - whole).count()};
}

nanoseconds offset(Kind kind) { return nanoseconds(offsets[kind].load(std::memory_order_relaxed)); }

/// None: the program's is the system's.
Kind kind_of(clockid_t clock) {
  switch (clock) {
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
      return monotonic;
    case CLOCK_MONOTONIC_RAW:
      return raw;
    case CLOCK_BOOTTIME:
      return since_boot;
    case CLOCK_PROCESS_CPUTIME_ID:
      return processor;
    case CLOCK_THREAD_CPUTIME_ID:
      return on_main_thread() ? processor : kinds;
    default:
      return kinds;
  }
}

nanoseconds now(clockid_t clock) {
  timespec time{};
  (void)CPPC_NEXT(clock_gettime)(clock, &time);  // these there are
  return duration(time);
}

/// The system's times.
std::array<nanoseconds, kinds> all() {
  rusage used{};
  (void)CPPC_NEXT(getrusage)(RUSAGE_SELF, &used);
  return {now(CLOCK_MONOTONIC),          now(CLOCK_MONOTONIC_RAW), now(CLOCK_BOOTTIME),
          now(CLOCK_PROCESS_CPUTIME_ID), duration(used.ru_utime),  duration(used.ru_stime)};
}

/// In the unit of times().
clock_t ticks(nanoseconds time) { return time * sysconf(_SC_CLK_TCK) / seconds(1); }

/// What the C library's function waits for, when the program waits until `time`.
const timespec* waited_for(clockid_t clock, const timespec* time, timespec& memory) {
  if (!program_time || time == nullptr) return time;
  memory = system_time(clock, *time);
  return &memory;
}

}  // namespace

timespec system_time(clockid_t clock, const timespec& time) {
  const Kind kind = kind_of(clock);
  if (kind == kinds || offset(kind) == nanoseconds::zero()) return time;
  return as_timespec(std::max(duration(time) - offset(kind), nanoseconds(1)));
}

cppc_status write(ByteWriter& writer) {
  writer.i64(now(CLOCK_REALTIME).count());
  const auto times = all();
  for (std::size_t i = 0; i < kinds; ++i) writer.i64((times[i] + offset(static_cast<Kind>(i))).count());
  return CPPC_OK;
}

cppc_status prepare(ByteReader& reader) {
  captured_at = reader.i64();
  for (std::int64_t& time : captured) {
    time = reader.i64();
    if (time < 0 || captured_at < 0) reader.fail();
  }
  return reader.ok() ? CPPC_OK : CPPC_ERR_IMAGE;
}

void apply() {
  // Clocks of two nodes differ; the program must not see its time run backwards for that.
  const nanoseconds under_way = std::max(now(CLOCK_REALTIME) - nanoseconds(captured_at), nanoseconds::zero());
  const auto times = all();
  for (std::size_t i = 0; i < kinds; ++i) {
    const bool of_node = i <= since_boot;
    const nanoseconds wanted = nanoseconds(captured[i]) + (of_node ? under_way : nanoseconds::zero());
    offsets[i] = (wanted - times[i]).count();
  }
}

}  // namespace cppc::address::clocks

using namespace cppc::address;
using namespace cppc::address::clocks;

#pragma GCC visibility push(default)

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const int answer = CPPC_NEXT(clock_gettime)(clock, time);
  if (!program_time || answer != 0) return answer;
  const Kind kind = kind_of(clock);
  if (kind != kinds && offset(kind) != std::chrono::nanoseconds::zero())
    *time = as_timespec(duration(*time) + offset(kind));
  return answer;
}

clock_t clock() noexcept {
  const clock_t used = CPPC_NEXT(clock)();
  if (!program_time || used == clock_t{-1}) return used;
  return used + std::chrono::floor<microseconds>(offset(processor)).count();
}

int getrusage(__rusage_who_t who, rusage* used) noexcept {
  const int answer = CPPC_NEXT(getrusage)(who, used);
  const bool carried = who == RUSAGE_SELF || (who == RUSAGE_THREAD && on_main_thread());
  if (!program_time || answer != 0 || !carried) return answer;
  used->ru_utime = as_timeval(duration(used->ru_utime) + offset(user));
  used->ru_stime = as_timeval(duration(used->ru_stime) + offset(in_system));
  return answer;
}

clock_t times(tms* used) noexcept {
  const clock_t since = CPPC_NEXT(times)(used);
  if (!program_time || since == clock_t{-1}) return since;
  if (used != nullptr) {
    used->tms_utime += ticks(offset(user));
    used->tms_stime += ticks(offset(in_system));
  }
  return since + ticks(offset(monotonic));
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  timespec memory;
  if ((flags & TIMER_ABSTIME) != 0) time = waited_for(clock, time, memory);
  return CPPC_NEXT(clock_nanosleep)(clock, flags, time, left);
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* time) {
  constexpr unsigned by_monotonic_clock = 2;  // as the C library notes what pthread_condattr_setclock() was told
  timespec memory;
  if ((condition->__data.__wrefs & by_monotonic_clock) != 0) time = waited_for(CLOCK_MONOTONIC, time, memory);
  return CPPC_NEXT(pthread_cond_timedwait)(condition, mutex, time);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* time) {
  timespec memory;
  return CPPC_NEXT(pthread_cond_clockwait)(condition, mutex, clock, waited_for(clock, time, memory));
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* time) noexcept {
  timespec memory;
  return held_locks::note(CPPC_NEXT(pthread_mutex_clocklock)(mutex, clock, waited_for(clock, time, memory)), mutex);
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* time) noexcept {
  timespec memory;
  return CPPC_NEXT(pthread_rwlock_clockrdlock)(lock, clock, waited_for(clock, time, memory));
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* time) noexcept {
  timespec memory;
  return held_locks::note(CPPC_NEXT(pthread_rwlock_clockwrlock)(lock, clock, waited_for(clock, time, memory)), lock);
}

int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* time) {
  timespec memory;
  return CPPC_NEXT(sem_clockwait)(semaphore, clock, waited_for(clock, time, memory));
}

}  // extern "C"

#pragma GCC visibility pop
