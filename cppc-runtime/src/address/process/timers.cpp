#include "address/process/timers.hpp"

#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <vector>

#include "address/process/clocks.hpp"
#include "address/process/next.hpp"
#include "address/process/program_memory.hpp"
#include "address/program_time.hpp"
#include "log.hpp"

namespace cppc::address {

namespace {

/// An entry never moves and is never given back, as signal handlers may use it.
struct Timer {
  Timer* next;
  bool used;  ///< else free for another one
  timer_t real;
  clockid_t clock;
  sigevent event;
  itimerspec left;  ///< at the capture
};

struct Timers {
  Timer* first;
};

constinit std::mutex mutex;

constexpr std::array kinds{ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
constinit std::array<itimerval, kinds.size()> captured{};

Timer* first() {
  const Timers* const timers = find_root<Timers>(Root::timers);
  return timers != nullptr ? timers->first : nullptr;
}

/// Null: not one of these.
Timer* find(timer_t timer) {
  for (Timer* entry = first(); entry != nullptr; entry = entry->next)
    if (entry == timer) return entry;
  return nullptr;
}

/// Calls the C library's function with its own number; for one that has been deleted it is EINVAL.
int forward(timer_t timer, auto&& function) {
  const Timer* const entry = find(timer);
  if (entry == nullptr) return function(timer);
  if (entry->used) return function(entry->real);
  errno = EINVAL;
  return -1;
}

Timer& unused() {
  Timers& timers = at_root<Timers>(Root::timers);
  for (Timer* entry = timers.first; entry != nullptr; entry = entry->next)
    if (!entry->used) return *entry;
  auto* const made = make_for_program<Timer>();
  made->next = timers.first;
  timers.first = made;
  return *made;
}

/// As timer_create() has it for no event.
sigevent usual_event(timer_t timer) {
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  event.sigev_value.sival_ptr = timer;
  return event;
}

int create(clockid_t clock, const sigevent* event, timer_t* timer) {
  const std::lock_guard lock(mutex);
  Timer& entry = unused();
  entry.clock = clock;
  entry.event = event != nullptr ? *event : usual_event(&entry);
  if (CPPC_NEXT(timer_create)(clock, &entry.event, &entry.real) != 0) return -1;
  entry.used = true;
  *timer = &entry;
  return 0;
}

bool portable(const Timer& timer) {
  const int notify = timer.event.sigev_notify;
  const char* const what = notify == SIGEV_THREAD                           ? "that starts threads (SIGEV_THREAD)"
                           : notify != SIGEV_SIGNAL && notify != SIGEV_NONE ? "for one thread (SIGEV_THREAD_ID)"
                           : timer.clock < 0                                ? "by the clock of a process or thread"
                                                                            : nullptr;
  if (what != nullptr) log().error("the program has a timer {}, which cannot be carried over (timer_create())", what);
  return what == nullptr;
}

void write(const timeval& time, ByteWriter& writer) {
  writer.i64(time.tv_sec);
  writer.i64(time.tv_usec);
}

timeval read_time(ByteReader& reader) {
  const std::int64_t seconds = reader.i64();
  return {.tv_sec = seconds, .tv_usec = reader.i64()};
}

}  // namespace

cppc_status timers::write(ByteWriter& writer) {
  for (const auto kind : kinds) {
    itimerval timer{};
    if (getitimer(kind, &timer) != 0) {
      log().error("interval timer {} cannot be read: {}", static_cast<int>(kind), std::strerror(errno));
      return CPPC_ERR_SYSTEM;
    }
    // While its signal waits, the system does not start it again.
    if (timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0) timer.it_value = timer.it_interval;
    address::write(timer.it_interval, writer);
    address::write(timer.it_value, writer);
  }
  bool good = true;
  for (Timer* entry = first(); entry != nullptr; entry = entry->next) {
    if (!entry->used) continue;
    good = portable(*entry) && good;
    if (CPPC_NEXT(timer_gettime)(entry->real, &entry->left) == 0) continue;
    log().error("a timer of the program cannot be read: {}", std::strerror(errno));
    return CPPC_ERR_SYSTEM;
  }
  return good ? CPPC_OK : CPPC_ERR_UNSUPPORTED;
}

cppc_status timers::prepare(ByteReader& reader) {
  for (itimerval& timer : captured) {
    timer.it_interval = read_time(reader);
    timer.it_value = read_time(reader);
  }
  return reader.ok() ? CPPC_OK : CPPC_ERR_IMAGE;
}

void timers::apply() {
  bool good = true;
  for (Timer* entry = first(); entry != nullptr; entry = entry->next) {
    if (!entry->used) continue;
    good = CPPC_NEXT(timer_create)(entry->clock, &entry->event, &entry->real) == 0 &&
           CPPC_NEXT(timer_settime)(entry->real, 0, &entry->left, nullptr) == 0 && good;
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) good = setitimer(kinds[i], &captured[i], nullptr) == 0 && good;
  if (!good) die(CPPC_ERR_SYSTEM, "the program's timers could not be set again");
}

void timers::leave() {
  constexpr itimerval never{};
  for (const auto kind : kinds)
    if (setitimer(kind, &never, nullptr) != 0)
      log().warn("interval timer {} cannot be stopped: {}", static_cast<int>(kind), std::strerror(errno));
  for (const Timer* entry = first(); entry != nullptr; entry = entry->next)
    if (entry->used && CPPC_NEXT(timer_delete)(entry->real) != 0)
      log().warn("a timer of the program cannot be stopped: {}", std::strerror(errno));
}

}  // namespace cppc::address

using namespace cppc::address;

#pragma GCC visibility push(default)

int timer_create(clockid_t clock, sigevent* event, timer_t* timer) noexcept {
  return program_time ? create(clock, event, timer) : CPPC_NEXT(timer_create)(clock, event, timer);
}

int timer_delete(timer_t timer) noexcept {
  const std::lock_guard lock(mutex);
  const int answer = forward(timer, [](timer_t real) { return CPPC_NEXT(timer_delete)(real); });
  if (Timer* const entry = find(timer)) entry->used = false;
  return answer;
}

int timer_settime(timer_t timer, int flags, const itimerspec* value, itimerspec* old) noexcept {
  itimerspec real_value{};
  const Timer* const entry = program_time ? find(timer) : nullptr;
  if (entry != nullptr && value != nullptr && (flags & TIMER_ABSTIME) != 0) {
    real_value = {.it_interval = value->it_interval, .it_value = value->it_value};
    const bool arms = value->it_value.tv_sec != 0 || value->it_value.tv_nsec != 0;
    if (arms) real_value.it_value = clocks::system_time(entry->clock, value->it_value);
    value = &real_value;
  }
  return forward(timer, [=](timer_t real) { return CPPC_NEXT(timer_settime)(real, flags, value, old); });
}

int timer_gettime(timer_t timer, itimerspec* value) noexcept {
  return forward(timer, [=](timer_t real) { return CPPC_NEXT(timer_gettime)(real, value); });
}

int timer_getoverrun(timer_t timer) noexcept {
  return forward(timer, [](timer_t real) { return CPPC_NEXT(timer_getoverrun)(real); });
}

#pragma GCC visibility pop
