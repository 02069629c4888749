/* Signals whose handlers are to end calls of the system, when signal() sets them the next time. */
#include "adversarial.h"
#include <signal.h>

static void handle(int number) { (void)number; }

int main(int argc, char** argv) {
  start(&argc, &argv);
  signal(SIGUSR2, handle);
  siginterrupt(SIGUSR2, 1);
  for (int it = 0; it < 10; it++) {
    struct sigaction action;
    const double sum = gsum(it);
    signal(SIGUSR2, handle);
    sigaction(SIGUSR2, NULL, &action);
    printf("%d %d %g %d\n", rank, it, sum, (action.sa_flags & SA_RESTART) != 0);
  }
  MPI_Finalize();
  return 0;
}
