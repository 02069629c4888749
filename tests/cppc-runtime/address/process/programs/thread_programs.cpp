/// Compiled with OpenMP.
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "address/program_time.hpp"
#include "program.hpp"

namespace cppc::test {

namespace {

struct Keys {
  pthread_key_t first, deleted, second;
};

char value[] = "the main thread's";

const Program keys{.before =
                       [] {
                         auto* const keys = static_cast<Keys*>(std::malloc(sizeof(Keys)));
                         kept() = keys;
                         pthread_key_create(&keys->first, nullptr);
                         pthread_key_create(&keys->deleted, nullptr);
                         pthread_key_create(&keys->second, [](void* value) {
                           std::printf("destroyed: %s\n", static_cast<char*>(value));
                         });
                         pthread_key_delete(keys->deleted);
                         pthread_setspecific(keys->second, value);
                       },
                   .after =
                       [] {
                         auto* const keys = static_cast<Keys*>(kept());
                         std::printf("first: %d\n", pthread_getspecific(keys->first) == nullptr);
                         std::printf("second: %s\n", static_cast<char*>(pthread_getspecific(keys->second)));
                         pthread_key_t more = 0;
                         pthread_key_create(&more, nullptr);
                         std::printf("another one: %d\n", more != keys->first && more != keys->second);
                         pthread_t thread{};
                         const auto routine = [](void* key) -> void* {
                           static char of_thread[] = "a thread's";
                           pthread_setspecific(*static_cast<pthread_key_t*>(key), of_thread);
                           return nullptr;
                         };
                         pthread_create(&thread, nullptr, routine, &keys->second);
                         pthread_join(thread, nullptr);
                       }};

void make_keys(int count) {
  pthread_key_t key = 0;
  for (int i = 0; i < count; ++i) pthread_key_create(&key, nullptr);
}

const Program other_keys{.before = keys.before, .meanwhile = [] { make_keys(10); }, .after = keys.after};

const Program too_many_keys{.before = [] { make_keys(600); }};

const Program running_thread{.before = [] {
  pthread_t thread{};
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        for (;;) pause();
      },
      nullptr);
}};

const Program foreign_thread{.before =
                                 [] {
                                   const address::OutsideProgram outside;
                                   running_thread.before();
                                 },
                             .after = [] { std::printf("goes on\n"); }};

const Program blocking_thread{.before =
                                  [] {
                                    const address::OutsideProgram outside;
                                    pthread_t thread{};
                                    const auto routine = [](void*) -> void* {
                                      sigset_t mask;
                                      pthread_sigmask(SIG_BLOCK, nullptr, &mask);
                                      std::printf("blocks USR1 %d, SEGV %d, CONT %d\n", sigismember(&mask, SIGUSR1),
                                                  sigismember(&mask, SIGSEGV), sigismember(&mask, SIGCONT));
                                      return nullptr;
                                    };
                                    pthread_create(&thread, nullptr, routine, nullptr);
                                    pthread_join(thread, nullptr);
                                    sigset_t mask;
                                    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
                                    std::printf("creator blocks USR1 %d\n", sigismember(&mask, SIGUSR1));
                                  },
                              .after = [] {}};

/// Works in program time, and ends by pthread_exit().
const Program ended_thread{.before =
                               [] {
                                 pthread_t thread{};
                                 pthread_create(
                                     &thread, nullptr,
                                     [](void*) -> void* {
                                       std::printf("the program's: %d\n", address::program_time);
                                       pthread_exit(nullptr);
                                     },
                                     nullptr);
                                 pthread_join(thread, nullptr);
                               },
                           .after = [] { std::printf("goes on\n"); }};

long tasks() {
  using Directory = std::filesystem::directory_iterator;
  return std::distance(Directory("/proc/self/task"), Directory());
}

int threads_of_region() {
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  threads = 1;
  return threads;
}

const Program openmp{.before =
                         [] {
                           omp_set_num_threads(3);
                           omp_set_schedule(omp_sched_dynamic, 7);
                           std::printf("%d in a region, ", threads_of_region());
                           std::printf("%ld remain\n", tasks());
                         },
                     .after = [] { std::printf("%d again\n", threads_of_region()); },
                     .left =
                         [] {
                           omp_sched_t kind{};
                           int chunk = 0;
                           omp_get_schedule(&kind, &chunk);
                           std::printf("%ld after, %d wanted, ", tasks(), omp_get_max_threads());
                           std::printf("schedule %d %d, ", kind == omp_sched_dynamic, chunk);
                           std::printf("%d in a region\n", threads_of_region());
                         }};

}  // namespace

const Program* thread_program(const std::string& name) {
  if (name == "keys") return &keys;
  if (name == "other_keys") return &other_keys;
  if (name == "too_many_keys") return &too_many_keys;
  if (name == "running_thread") return &running_thread;
  if (name == "foreign_thread") return &foreign_thread;
  if (name == "blocking_thread") return &blocking_thread;
  if (name == "ended_thread") return &ended_thread;
  return name == "openmp" ? &openmp : nullptr;
}

}  // namespace cppc::test
