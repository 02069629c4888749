#include <signal.h>
#include <unistd.h>

#include "adversarial.h"
static volatile sig_atomic_t ticks, usr;
static void onalrm(int s) {
  ticks++;
  alarm(1);
}
static void onusr(int s) { usr++; }
int main(int argc, char **argv) {
  start(&argc, &argv);
  signal(SIGALRM, onalrm);
  signal(SIGUSR1, onusr);
  alarm(1);
  int n = 0;
  while (n < 12) {
    gsum(n);
    n++;
    usleep(300000);
    if (n % 4 == 0) raise(SIGUSR1);
  }
  printf("%d %s usr %d\n", rank, ticks >= 3 ? "ticked" : "no ticks", (int)usr);
  MPI_Finalize();
  return 0;
}
