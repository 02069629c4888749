#include <signal.h>

#include "adversarial.h"
static volatile sig_atomic_t usr;
static void onusr(int s) { usr++; }
int main(int argc, char **argv) {
  start(&argc, &argv);
  struct sigaction sa = {0};
  sa.sa_handler = onusr;
  sigaction(SIGUSR1, &sa, NULL);
  sigset_t m;
  sigemptyset(&m);
  sigaddset(&m, SIGUSR2);
  sigprocmask(SIG_BLOCK, &m, NULL);
  for (int n = 0; n < 10; n++) {
    gsum(n);
    if (n == 8) raise(SIGUSR2);
    if (n % 4 == 0) raise(SIGUSR1);
  }
  printf("%d usr %d\n", rank, (int)usr);
  MPI_Finalize();
  return 0;
}
