/// OpenMP's library, as the program has it: libgomp or LLVM's. On the main thread; calls the program's libraries, so
/// not in signal handlers. LLVM's notes on which stack it was called: on the program's, which is carried.
#pragma once

#include <dlfcn.h>

#include <array>
#include <cstdlib>

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
    if (fork_call_ != nullptr) setenv("KMP_LOCK_KIND", "futex", overwrite);
  }

  /// Whether there are locks that would end with the pool: in LLVM's library those that a thread can set repeatedly, of
  /// which a variable has the number in a table. It gives the numbers of destroyed ones again.
  [[nodiscard]] bool has_locks_of_its_own() const {
    if (fork_call_ == nullptr) return false;
    struct Probe {
      const OpenMp* self;
      bool found;
    } probe{.self = this, .found = false};
    const auto look = [](void* context) {
      auto& [self, found] = *static_cast<Probe*>(context);
      found = self->has_locks_of_its_own_here();
    };
    program_stack::call(look, &probe);
    return probe.found;
  }

  /// Whether it did. The settings are the main thread's, and end with the pool.
  [[nodiscard]] bool end_pool() const {
    struct Call {
      const OpenMp* self;
      bool ended;
    } call{.self = this, .ended = false};
    const auto work = [](void* context) {
      Call& made = *static_cast<Call*>(context);
      made.ended = made.self->end_pool_here();
    };
    program_stack::call(work, &call);
    return call.ended;
  }

  /// Calls `work` once in each thread of a team of this size, or of fewer threads where that is not allowed.
  void run_on_team(unsigned threads, void (*work)(void*), void* context) const {
    struct Call {
      const OpenMp* self;
      unsigned threads;
      void (*work)(void*);
      void* context;
    } call{.self = this, .threads = threads, .work = work, .context = context};
    const auto run = [](void* made) {
      const auto& [self, size, function, argument] = *static_cast<const Call*>(made);
      const int dynamic = self->dynamic_();
      self->set_dynamic_(0);
      self->parallel_(function, argument, size, 0);
      self->set_dynamic_(dynamic);
    };
    program_stack::call(run, &call);
  }

  /// Of the calling thread, in its team; the one that has begun it is 0.
  [[nodiscard]] int thread_number() const { return thread_number_(); }

  template <typename Function>
  static Function* find(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
  }

 private:
  [[nodiscard]] bool end_pool_here() const {
    constexpr int hard = 2;  // omp_pause_hard
    const int threads = max_threads_();
    const int dynamic = dynamic_();
    const int levels = max_levels_();
    int kind = 0, chunk = 0;
    schedule_(&kind, &chunk);
    if (pause_(hard) != 0) return false;
    if (threads != max_threads_()) set_threads_(threads);
    if (dynamic != dynamic_()) set_dynamic_(dynamic);
    if (levels != max_levels_()) set_max_levels_(levels);
    set_schedule_(kind, chunk);
    return true;
  }

  [[nodiscard]] bool has_locks_of_its_own_here() const {
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
