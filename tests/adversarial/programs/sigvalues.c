// FLAGS -O2 -D_GNU_SOURCE
/* Signals that wait with a value, one of each kind of them. */
#include "adversarial.h"
#include <pthread.h>
#include <signal.h>

static int last, code;
static void handle(int number, siginfo_t* info, void* context) {
  (void)context;
  last = info->si_value.sival_int;
  code = info->si_code == SI_QUEUE ? number : -number;
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  const int numbers[] = {SIGUSR2, SIGRTMIN + 3, SIGTERM};
  sigset_t held;
  sigemptyset(&held);
  for (int i = 0; i < 3; i++) {
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    sigaction(numbers[i], &action, NULL);
    sigaddset(&held, numbers[i]);
  }
  for (int it = 0; it < 12; it++) {
    const double sum = gsum(it);
    sigprocmask(SIG_UNBLOCK, &held, NULL);  // that of the step before comes
    printf("%d %d %g %d %d\n", rank, it, sum, last, code);
    sigprocmask(SIG_BLOCK, &held, NULL);
    const union sigval value = {.sival_int = 40 + it};
    pthread_sigqueue(pthread_self(), numbers[it % 3], value);  // MPI's threads would take what the process gets
  }
  MPI_Finalize();
  return 0;
}
