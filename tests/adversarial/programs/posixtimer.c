/* A POSIX timer. */
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "adversarial.h"
static volatile sig_atomic_t rings;
static void ring(int number) { (void)number, rings++; }
int main(int argc, char** argv) {
  start(&argc, &argv);
  timer_t timer;
  signal(SIGRTMIN, ring);
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  const struct itimerspec often = {{0, 20000000}, {0, 20000000}};
  timer_settime(timer, 0, &often, NULL);
  for (int it = 0; it < 10; it++) gsum(it);
  const int before = rings;
  for (int i = 0; i < 3000 && rings < before + 5; i++) usleep(10000);
  printf("%d %d %d\n", rank, rings >= before + 5, timer_delete(timer));
  MPI_Finalize();
  return 0;
}
