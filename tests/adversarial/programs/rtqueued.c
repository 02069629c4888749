/* Real-time signals that wait: several of a number, each with a value. */
#define _GNU_SOURCE
#include <signal.h>

#include "adversarial.h"

static volatile sig_atomic_t count, queued;
static volatile long values; /* how many of each, by bytes */

static void take(int number, siginfo_t *info, void *context) {
  (void)number, (void)context;
  count++;
  queued += info->si_code == SI_QUEUE;
  values += 1L << 8 * info->si_value.sival_int; /* they may come in any order */
}

int main(int argc, char **argv) {
  start(&argc, &argv);
  struct sigaction action = {.sa_sigaction = take, .sa_flags = SA_SIGINFO};
  sigset_t blocked;
  sigemptyset(&blocked);
  for (int number = SIGRTMIN + 5; number < SIGRTMIN + 7; number++) {
    sigaction(number, &action, NULL);
    sigaddset(&blocked, number);
  }
  sigprocmask(SIG_BLOCK, &blocked, NULL);
  for (int i = 1; i <= 3; i++) sigqueue(getpid(), SIGRTMIN + 5, (union sigval){.sival_int = i});
  raise(SIGRTMIN + 6);
  for (int it = 0; it < 10; it++) printf("%d %g\n", rank, gsum(it));
  sigprocmask(SIG_UNBLOCK, &blocked, NULL);
  printf("%d %d of them queued, %ld\n", (int)count, (int)queued, values);
  MPI_Finalize();
  return 0;
}
