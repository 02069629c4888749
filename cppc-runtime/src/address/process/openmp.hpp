/// OpenMP's library, as the program has it: libgomp or LLVM's. On the main thread; calls the program's libraries, so
/// not in signal handlers. LLVM's notes on which stack it was called: on the program's, which is carried.
#pragma once

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "address/process/program_functions.hpp"
#include "address/program_stack.hpp"

namespace cppc::address {

/// Functions of OpenMP, if the program has it.
class OpenMp {
 public:
  [[nodiscard]] bool there() const { return pause_ != nullptr && parallel_ != nullptr; }

  /// Before main(). LLVM's library has locks, also those of critical sections, in tables, which end with the pool, if
  /// they are not of a kind that needs no more than the variable that the program has for them.
  void choose_locks() const {
    constexpr int overwrite = 1;
    if (is_llvms()) setenv("KMP_LOCK_KIND", "futex", overwrite);
  }

  /// Whether there are locks that would end with the pool: in LLVM's library those that a thread can set repeatedly, of
  /// which a variable has the number in a table. It gives the numbers of destroyed ones again.
  [[nodiscard]] bool has_locks_of_its_own() const {
    bool found = false;
    if (is_llvms()) program_stack::call([this, &found] { found = has_nestable_locks(); });
    return found;
  }

  /// Whether it did: not inside a parallel region. The settings are the main thread's, and end with the pool.
  [[nodiscard]] bool end_pool() const {
    bool ended = false;
    program_stack::call([this, &ended] {
      constexpr int hard = 2;                   // omp_pause_hard
      if (is_llvms() && level_() != 0) return;  // it does not look
      const Settings before = settings();
      ended = pause_(hard) == 0;
      if (ended) set(before);
    });
    return ended;
  }

  /// In a process that is going to end without its library: LLVM's has a file for each process in /dev/shm.
  void leave() const {
    const std::string file = "/__KMP_REGISTERED_LIB_" + std::to_string(getpid()) + '_' + std::to_string(getuid());
    if (is_llvms()) shm_unlink(file.c_str());  // there is none as long as it was not used
  }

  /// Calls `work` once in each thread of a team of this size, or of fewer threads where that is not allowed.
  void run_on_team(unsigned threads, void (*work)(void*), void* context) const {
    program_stack::call([=, this] {
      const int dynamic = dynamic_();
      set_dynamic_(0);
      parallel_(work, context, threads, 0);
      set_dynamic_(dynamic);
    });
  }

  /// Of the calling thread, in its team; the one that has begun it is 0.
  [[nodiscard]] int thread_number() const { return thread_number_(); }

  template <typename Function>
  static Function* find(const char* name) {
    void* const found = dlsym(RTLD_DEFAULT, name);
    const auto others = found == nullptr ? program_functions(name) : std::vector<void*>{};
    return reinterpret_cast<Function*>(others.empty() ? found : others.front());
  }

 private:
  struct Settings {
    int threads, dynamic, levels, schedule, chunk;
  };

  [[nodiscard]] bool is_llvms() const { return fork_call_ != nullptr; }

  [[nodiscard]] Settings settings() const {
    Settings now{.threads = max_threads_(), .dynamic = dynamic_(), .levels = max_levels_(), .schedule = 0, .chunk = 0};
    schedule_(&now.schedule, &now.chunk);
    return now;
  }

  void set(const Settings& before) const {
    const Settings now = settings();
    if (before.threads != now.threads) set_threads_(before.threads);
    if (before.dynamic != now.dynamic) set_dynamic_(before.dynamic);
    if (before.levels != now.levels) set_max_levels_(before.levels);
    set_schedule_(before.schedule, before.chunk);
  }

  [[nodiscard]] bool has_nestable_locks() const {
    struct Lock {
      unsigned twice_number;
      void* more;
    };
    std::array<Lock, 64> locks{};
    bool others = false;
    for (Lock& lock : locks) {
      init_lock_(&lock);
      others = others || lock.twice_number / 2 >= locks.size();
    }
    for (Lock& lock : locks) destroy_lock_(&lock);
    return others;
  }

  void (*parallel_)(void (*)(void*), void*, unsigned, unsigned) =
      find<void(void (*)(void*), void*, unsigned, unsigned)>("GOMP_parallel");  // of LLVM's library, too
  void (*fork_call_)() = find<void()>("__kmpc_fork_call");                      // of LLVM's alone
  void (*init_lock_)(void*) = find<void(void*)>("omp_init_nest_lock");
  void (*destroy_lock_)(void*) = find<void(void*)>("omp_destroy_nest_lock");
  int (*level_)() = find<int()>("omp_get_level");
  int (*thread_number_)() = find<int()>("omp_get_thread_num");
  int (*pause_)(int) = find<int(int)>("omp_pause_resource_all");
  int (*max_threads_)() = find<int()>("omp_get_max_threads");
  int (*dynamic_)() = find<int()>("omp_get_dynamic");
  int (*max_levels_)() = find<int()>("omp_get_max_active_levels");
  void (*schedule_)(int*, int*) = find<void(int*, int*)>("omp_get_schedule");
  void (*set_threads_)(int) = find<void(int)>("omp_set_num_threads");
  void (*set_dynamic_)(int) = find<void(int)>("omp_set_dynamic");
  void (*set_max_levels_)(int) = find<void(int)>("omp_set_max_active_levels");
  void (*set_schedule_)(int, int) = find<void(int, int)>("omp_set_schedule");
};

}  // namespace cppc::address
