#include "address/process/threads.hpp"

#include <pthread.h>
#include <signal.h>
#include <threads.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <thread>

#include "address/carried_objects.hpp"
#include "address/mpi_memory.hpp"
#include "address/process/library_threads.hpp"
#include "address/process/next.hpp"
#include "address/process/openmp.hpp"
#include "address/process/program_memory.hpp"
#include "address/process/signals.hpp"
#include "address/process/team_threads.hpp"
#include "address/program_time.hpp"
#include "address/startup_calls.hpp"
#include "log.hpp"
#include "never_destroyed.hpp"

namespace cppc::address {

namespace {

constinit std::atomic<std::size_t> others_now{0};
constinit std::atomic<std::size_t> of_openmp_now{0};  ///< of these

/// omp_get_level(), which signal handlers need; known when there is a thread of OpenMP.
constinit std::atomic<int (*)()> level_of_openmp{nullptr};

/// For threads that have been told to end.
constexpr auto kTimeout = std::chrono::milliseconds(100);

/// Where threads of the program had their stacks and thread-locals. It travels: words that led there are left in the
/// program's memory, and mean nothing in any process.
struct ThreadMemory {
  std::size_t count;
  /// The complements of the addresses: these are no addresses of the program.
  struct Range {
    std::uintptr_t begin;
    std::uintptr_t end;
    [[nodiscard]] bool holds(std::uintptr_t place) const { return place >= ~begin && place < ~end; }
  } ranges[256];
};

std::mutex& thread_memory_lock() {
  static NeverDestroyed<std::mutex> lock;
  return *lock;
}

/// Of the calling thread; empty when the system does not tell.
std::span<std::byte> own_stack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* begin = nullptr;
  std::size_t bytes = 0;
  const bool known = pthread_attr_getstack(&attributes, &begin, &bytes) == 0;
  pthread_attr_destroy(&attributes);
  return known ? std::span(static_cast<std::byte*>(begin), bytes) : std::span<std::byte>();
}

/// Of the calling thread. What there is no room for, or cannot be told, will be taken for memory of the process.
void note_memory() {
  const auto stack = own_stack();
  if (stack.empty()) return;
  const auto place = reinterpret_cast<std::uintptr_t>(stack.data());
  const std::size_t bytes = stack.size();
  const std::scoped_lock lock(thread_memory_lock());
  auto& all = *find_root<ThreadMemory>(Root::threads);
  const auto holds = [place, bytes](const ThreadMemory::Range& range) {
    return range.holds(place) && range.holds(place + bytes - 1);
  };
  if (std::any_of(all.ranges, all.ranges + all.count, holds) || all.count == std::size(all.ranges)) return;
  all.ranges[all.count++] = {~place, ~(place + bytes)};
}

/// What a thread of the program begins with.
struct Start {
  void* (*routine)(void*);
  void* argument;
  bool of_openmp;
  std::optional<std::size_t> place;  ///< among team_threads
};

void count_begun(bool of_openmp) {
  ++others_now;
  if (of_openmp) ++of_openmp_now;
}

void count_ended(bool of_openmp) {
  --others_now;
  if (of_openmp) --of_openmp_now;
}

/// Of a thread of the program: destroyed when it ends, in whatever way.
struct Counted {
  bool of_openmp;
  ~Counted() {
    team_threads::end();
    count_ended(of_openmp);
  }
};

void* run(void* given) {
  const Start start = *std::unique_ptr<Start>(static_cast<Start*>(given));
  thread_local const Counted counted{start.of_openmp};
  (void)&counted;  // made here
  if (start.place) team_threads::begin(*start.place);
  note_memory();
  program_time = true;
  return start.routine(start.argument);
}

/// What a thread of the process begins with.
struct StartForProcess {
  void* (*routine)(void*);
  void* argument;
};

/// A word of the program that leads to the stack of such a thread is none of its addresses.
void* run_for_process(void* given) {
  const StartForProcess start = *std::unique_ptr<StartForProcess>(static_cast<StartForProcess*>(given));
  const auto stack = own_stack();
  note_mapping_of_mpi(stack.data(), stack.size());
  return start.routine(start.argument);
}

/// A thread begins with its creator's mask.
int create_for_process(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*), void* argument) {
  sigset_t blocked, before;
  sigfillset(&blocked);
  for (const int number : signals::taken_by_process) sigdelset(&blocked, number);
  if (const int error = pthread_sigmask(SIG_BLOCK, &blocked, &before); error != 0) return error;
  std::unique_ptr<StartForProcess> start(new (std::nothrow) StartForProcess{routine, argument});
  const int error = start ? CPPC_NEXT(pthread_create)(thread, attributes, run_for_process, start.get()) : EAGAIN;
  if (error == 0) (void)start.release();  // the thread's
  const int undone = pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error != 0 ? error : undone;
}

}  // namespace

bool on_main_thread() { return getpid() == gettid(); }

std::size_t threads::others() { return others_now; }

bool threads::had_memory_at(const void* address) {
  const auto* const all = find_root<ThreadMemory>(Root::threads);
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  const auto holds = [place](const ThreadMemory::Range& range) { return range.holds(place); };
  return all != nullptr && std::any_of(all->ranges, all->ranges + all->count, holds);
}

bool threads::in_parallel_region() {
  int (*const level)() = level_of_openmp;
  return of_openmp_now != 0 && level != nullptr && level() != 0;
}

bool threads::may_stop() { return others_now == of_openmp_now && !in_parallel_region(); }

cppc_status threads::keep_locals_of_pools(const FloatingPoint& of_main) {
  return of_openmp_now == 0 || in_parallel_region() ? CPPC_OK : team_threads::keep_locals(of_openmp_now, of_main);
}

cppc_status threads::end_pools() {
  if (others() == 0) return CPPC_OK;  // a parallel region of one thread is like any other code
  const OpenMp openmp;
  const InsideProgram inside;
  if (openmp.has_locks_of_its_own()) {
    log().error("the program has nestable locks of LLVM's OpenMP, which cannot be carried over; with libgomp they can");
    return CPPC_ERR_UNSUPPORTED;
  }
  if (openmp.there() && !openmp.end_pool()) {
    log().error("the safe point lies inside an OpenMP parallel region, whose threads cannot be carried over");
    return CPPC_ERR_NOT_QUIET;
  }
  if (others() == 0) return CPPC_OK;
  library_threads::end();
  // Libraries do not wait for threads that nobody is to join.
  const auto until = std::chrono::steady_clock::now() + kTimeout;
  while (others() != 0 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  return CPPC_OK;
}

cppc_status threads::check() {
  if (others() == 0) return CPPC_OK;
  log().error(
      "the program has started {} threads that still run at the safe point; they must have ended, and been "
      "waited for with pthread_join(), before",
      others());
  return CPPC_ERR_UNSUPPORTED;
}

}  // namespace cppc::address

#pragma GCC visibility push(default)

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*),
                   void* argument) noexcept {
  using namespace cppc::address;
  if (!kept_by_address()) return CPPC_NEXT(pthread_create)(thread, attributes, routine, argument);
  // Constructors of the program's libraries start threads before its time.
  if (!program_time && !startup_call_is_programs(__builtin_return_address(0)))
    return create_for_process(thread, attributes, routine, argument);
  const OutsideProgram outside;
  {
    const std::scoped_lock lock(thread_memory_lock());
    (void)at_root<ThreadMemory>(Root::threads);
  }
  const bool of_openmp = is_openmp_code(reinterpret_cast<const void*>(routine));
  std::unique_ptr<Start> start(
      new (std::nothrow) Start{.routine = routine, .argument = argument, .of_openmp = of_openmp, .place = {}});
  if (!start) return EAGAIN;
  if (of_openmp && level_of_openmp == nullptr) level_of_openmp = OpenMp::find<int()>("omp_get_level");
  const auto stack = of_openmp ? team_threads::take_stack(attributes) : std::nullopt;
  if (stack) start->place = stack->place;
  count_begun(of_openmp);
  const int error = CPPC_NEXT(pthread_create)(thread, stack ? &stack->attributes : attributes, run, start.get());
  if (error == 0) {
    (void)start.release();  // the thread's
  } else {
    count_ended(of_openmp);
    if (stack) team_threads::give_back(*stack);
  }
  return error;
}

/// glibc does not go by pthread_create() itself. What the function returns is an int, of which thrd_join() reads no
/// more.
int thrd_create(thrd_t* thread, thrd_start_t routine, void* argument) {
  using Routine = void* (*)(void*);
  switch (pthread_create(thread, nullptr, reinterpret_cast<Routine>(reinterpret_cast<void*>(routine)), argument)) {
    case 0:
      return thrd_success;
    case ENOMEM:
      return thrd_nomem;
    default:
      return thrd_error;
  }
}

#pragma GCC visibility pop
