#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "address/process/owner.hpp"
#include "program.hpp"

namespace cppc::test {

namespace {

// ---- Signals ----

void say_number(int number) { std::printf("handler of %s\n", sigabbrev_np(number)); }

void say_stack(int number, siginfo_t* info, void*) {
  stack_t stack{};
  sigaltstack(nullptr, &stack);
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  std::printf("handler of %s by %s, on the alternate stack: %d, TERM blocked: %d\n", sigabbrev_np(number),
              info->si_pid == getpid() ? "itself" : "others", stack.ss_sp == kept() && stack.ss_flags == SS_ONSTACK,
              sigismember(&mask, SIGTERM));
}

void block(int number) {
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, number);
  pthread_sigmask(SIG_BLOCK, &mask, nullptr);
}

const Program signals{.before =
                          [] {
                            kept() = std::malloc(65536);
                            const stack_t stack{.ss_sp = kept(), .ss_flags = 0, .ss_size = 65536};
                            sigaltstack(&stack, nullptr);
                            struct sigaction action {};
                            action.sa_sigaction = say_stack;
                            action.sa_flags = SA_SIGINFO | SA_ONSTACK;
                            sigaddset(&action.sa_mask, SIGTERM);
                            sigaction(SIGUSR1, &action, nullptr);
                            ::signal(SIGUSR2, say_number);
                            ::signal(SIGPIPE, SIG_IGN);
                            block(SIGUSR2);
                            block(SIGRTMAX);
                            raise(SIGUSR2);
                          },
                      .after =
                          [] {
                            struct sigaction action {};
                            sigaction(SIGPIPE, nullptr, &action);
                            std::printf("PIPE ignored: %d\n", action.sa_handler == SIG_IGN);
                            raise(SIGUSR1);
                            sigset_t pending;
                            sigpending(&pending);
                            std::printf("USR2 waits: %d\n", sigismember(&pending, SIGUSR2));
                            sigset_t mask;
                            pthread_sigmask(SIG_BLOCK, nullptr, &mask);
                            std::printf("RTMAX blocked: %d\n", sigismember(&mask, SIGRTMAX));
                            sigset_t none;
                            sigemptyset(&none);
                            pthread_sigmask(SIG_SETMASK, &none, nullptr);
                          }};

const Program signal_to_source{.before = [] { ::signal(SIGUSR1, say_number); },
                               .after = [] { std::printf("goes on\n"); },
                               .left = [] { kill(getpid(), SIGUSR1); }};

/// As one of MPI's or the runtime's.
const Program handler_of_process{.before =
                                     [] {
                                       address::set_owner_of([](const void*) { return address::Owner::process; });
                                       ::signal(SIGCONT, say_number);
                                     },
                                 .after =
                                     [] {
                                       raise(SIGCONT);
                                       std::printf("not the program's\n");
                                     },
                                 .left = [] { raise(SIGCONT); }};

/// As a handler of a library that is not carried.
void foreign_handler(int) {}
const Program foreign_handler_set{.before = [] {
  address::set_owner_of([](const void* address) {
    const bool is = address == reinterpret_cast<const void*>(foreign_handler);
    return is ? address::Owner::unknown : address::Owner::program;
  });
  ::signal(SIGUSR1, foreign_handler);
}};

char stack_of_process[65536];
const Program foreign_stack{.before = [] {
  address::set_owner_of([](const void* address) {
    return address == stack_of_process ? address::Owner::process : address::Owner::program;
  });
  const stack_t stack{.ss_sp = stack_of_process, .ss_flags = 0, .ss_size = sizeof stack_of_process};
  sigaltstack(&stack, nullptr);
}};

// ---- Timers ----

struct Timers {
  timer_t running, other, silent;
};

const Program timers{
    .before =
        [] {
          auto* const timers = static_cast<Timers*>(std::malloc(sizeof(Timers)));
          kept() = timers;
          ::signal(SIGUSR1, say_number);
          sigevent event{};
          event.sigev_notify = SIGEV_SIGNAL;
          event.sigev_signo = SIGUSR1;
          event.sigev_value.sival_int = 42;
          timer_create(CLOCK_MONOTONIC, &event, &timers->running);
          timer_create(CLOCK_REALTIME, nullptr, &timers->other);
          event.sigev_notify = SIGEV_NONE;
          timer_create(CLOCK_REALTIME, &event, &timers->silent);
          timer_delete(timers->other);
          const itimerspec time{.it_interval = {.tv_sec = 500, .tv_nsec = 0},
                                .it_value = {.tv_sec = 1000, .tv_nsec = 0}};
          timer_settime(timers->running, 0, &time, nullptr);
          const itimerval interval{.it_interval = {.tv_sec = 0, .tv_usec = 0},
                                   .it_value = {.tv_sec = 5000, .tv_usec = 0}};
          setitimer(ITIMER_REAL, &interval, nullptr);
        },
    .after =
        [] {
          auto* const timers = static_cast<Timers*>(kept());
          itimerspec left{};
          timer_gettime(timers->running, &left);
          std::printf("left: %d, interval %ld\n", left.it_value.tv_sec > 0 && left.it_value.tv_sec <= 1000,
                      left.it_interval.tv_sec);
          const int deleted = timer_gettime(timers->other, &left);
          std::printf("deleted: %d %s\n", deleted, errno == EINVAL ? "EINVAL" : "another error");
          timer_gettime(timers->silent, &left);
          std::printf("silent: %ld\n", left.it_value.tv_sec);
          std::printf("alarm: %d\n", [left = alarm(0)] { return left > 0 && left <= 5000; }());
          sigset_t mask;
          sigemptyset(&mask);
          sigaddset(&mask, SIGUSR1);
          pthread_sigmask(SIG_BLOCK, &mask, nullptr);
          const itimerspec soon{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_nsec = 1}};
          timer_settime(timers->running, 0, &soon, nullptr);
          siginfo_t info{};
          sigwaitinfo(&mask, &info);
          std::printf("value %d, overrun %d\n", info.si_value.sival_int, timer_getoverrun(timers->running));
        }};

const Program timer_of_source{.before =
                                  [] {
                                    ::signal(SIGALRM, say_number);
                                    const itimerval soon{.it_interval = {.tv_sec = 0, .tv_usec = 1000},
                                                         .it_value = {.tv_sec = 0, .tv_usec = 1000}};
                                    block(SIGALRM);
                                    setitimer(ITIMER_REAL, &soon, nullptr);
                                  },
                              .after =
                                  [] {
                                    sigset_t mask;
                                    sigemptyset(&mask);
                                    sigaddset(&mask, SIGALRM);
                                    int number = 0;
                                    sigwait(&mask, &number);
                                    sigwait(&mask, &number);
                                    std::printf("took %s\n", sigabbrev_np(number));
                                  }};

const Program thread_timer{.before = [] {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = [](sigval) {};
  timer_t timer{};
  timer_create(CLOCK_REALTIME, &event, &timer);
}};

// ---- Limits ----

const Program limits{.before =
                         [] {
                           const rlimit limit{.rlim_cur = 64, .rlim_max = 128};
                           setrlimit(RLIMIT_NOFILE, &limit);
                           umask(027);
                           if (chdir("/usr") != 0) std::abort();
                           setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 2);
                           std::printf("priority %d\n", getpriority(PRIO_PROCESS, 0));
                         },
                     .meanwhile =
                         [] {
                           umask(0);
                           if (chdir("/") != 0) std::abort();
                         },
                     .after =
                         [] {
                           rlimit limit{};
                           getrlimit(RLIMIT_NOFILE, &limit);
                           std::printf("priority %d\nfiles %lu of %lu\n", getpriority(PRIO_PROCESS, 0), limit.rlim_cur,
                                       limit.rlim_max);
                           std::printf("mask %o in %s\n", umask(0), get_current_dir_name());
                         }};

const Program lower_limit{.before =
                              [] {
                                const rlimit limit{.rlim_cur = 64, .rlim_max = 128};
                                setrlimit(RLIMIT_NOFILE, &limit);
                              },
                          .meanwhile =
                              [] {
                                const rlimit limit{.rlim_cur = 32, .rlim_max = 32};
                                setrlimit(RLIMIT_NOFILE, &limit);
                              }};

constexpr int io_of_process = 1, real_time_io = 1 << 13;  // <linux/ioprio.h> is not for C++
const Program forbidden_attribute{.before =
                                      [] {
                                        if (syscall(SYS_ioprio_set, io_of_process, 0, real_time_io) != 0) std::abort();
                                      },
                                  .meanwhile =
                                      [] {
                                        if (syscall(SYS_ioprio_set, io_of_process, 0, 0) != 0 || seteuid(65534) != 0)
                                          std::abort();
                                      }};

char directory[] = "/tmp/cppc-limits-XXXXXX";
const Program lost_directory{.before =
                                 [] {
                                   if (mkdtemp(directory) == nullptr || chdir(directory) != 0) std::abort();
                                 },
                             .left = [] { rmdir(directory); }};

}  // namespace

const Program* system_program(const std::string& name) {
  if (name == "signals") return &signals;
  if (name == "signal_to_source") return &signal_to_source;
  if (name == "handler_of_process") return &handler_of_process;
  if (name == "foreign_handler") return &foreign_handler_set;
  if (name == "foreign_stack") return &foreign_stack;
  if (name == "timers") return &timers;
  if (name == "timer_of_source") return &timer_of_source;
  if (name == "thread_timer") return &thread_timer;
  if (name == "limits") return &limits;
  if (name == "lower_limit") return &lower_limit;
  if (name == "forbidden_attribute") return &forbidden_attribute;
  return name == "lost_directory" ? &lost_directory : nullptr;
}

}  // namespace cppc::test
