/// OpenMP's library, as the program has it: libgomp or LLVM's. On the main thread; calls the program's libraries, so
/// not in signal handlers.
#pragma once

#include <dlfcn.h>

namespace cppc::address {

/// Functions of OpenMP, if the program has it.
class OpenMp {
 public:
  [[nodiscard]] bool there() const { return pause_ != nullptr && parallel_ != nullptr; }

  /// Whether it did. The settings are the main thread's, and end with the pool.
  [[nodiscard]] bool end_pool() const {
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

  /// Calls `work` once in each thread of a team of this size, or of fewer threads where that is not allowed.
  void run_on_team(unsigned threads, void (*work)(void*), void* context) const {
    const int dynamic = dynamic_();
    set_dynamic_(0);
    parallel_(work, context, threads, 0);
    set_dynamic_(dynamic);
  }

  /// Of the calling thread, in its team; the one that has begun it is 0.
  [[nodiscard]] int thread_number() const { return thread_number_(); }

  template <typename Function>
  static Function* find(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
  }

 private:
  void (*parallel_)(void (*)(void*), void*, unsigned, unsigned) =
      find<void(void (*)(void*), void*, unsigned, unsigned)>("GOMP_parallel");  // of LLVM's library, too
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
