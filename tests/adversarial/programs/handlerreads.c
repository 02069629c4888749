// FLAGS -O2 -D_GNU_SOURCE
/* Handlers of sigaction() are the only ones that read an array. */
#include <signal.h>
#include <unistd.h>

#include "adversarial.h"

enum { N = 20000 };
static double a[N], b[N];
static volatile double seen, seen_too;

static void handle(int number) { seen = a[77] + number; }

static void handle_too(int number, siginfo_t* info, void* context) {
  (void)info, (void)context;
  seen_too = b[78] + number;
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  for (int i = 0; i < N; i++) a[i] = b[i] = rank + i;
  struct sigaction action = {.sa_handler = handle}, other = {.sa_sigaction = handle_too, .sa_flags = SA_SIGINFO};
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGUSR2, &other, NULL);
  for (int it = 1; it <= 10; it++) {
    raise(SIGUSR1);
    kill(getpid(), SIGUSR2);
    printf("%d %d %.17g\n", rank, it, gsum(seen + seen_too));
    for (int i = 0; i < N; i++) a[i] = b[i] = it + rank + i;
  }
  MPI_Finalize();
  return 0;
}
