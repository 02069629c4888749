/* A timer that goes on ringing, and a signal that is blocked and pending. */
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "adversarial.h"
static volatile sig_atomic_t rings, users;
static void ring(int number) { (void)number, rings++; }
static void user(int number) { (void)number, users++; }
int main(int argc, char** argv) {
  start(&argc, &argv);
  sigset_t mask;
  signal(SIGALRM, ring);
  signal(SIGUSR1, user);
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR1);
  sigprocmask(SIG_BLOCK, &mask, NULL);
  raise(SIGUSR1);
  const struct itimerval often = {{0, 20000}, {0, 20000}};
  setitimer(ITIMER_REAL, &often, NULL);
  for (int it = 0; it < 10; it++) gsum(it);
  const int before = rings;
  for (int i = 0; i < 3000 && rings < before + 5; i++) usleep(10000);
  const int rang = rings >= before + 5;
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
  const int blocked = users == 0;
  sigprocmask(SIG_UNBLOCK, &mask, NULL);
  printf("%d %d %d %d\n", rank, rang, blocked, (int)users);
  MPI_Finalize();
  return 0;
}
