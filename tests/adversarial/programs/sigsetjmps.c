#include "adversarial.h"
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>
static sigjmp_buf jb;
static volatile int n;
static void h(int s) {
  (void)s;
  n++;
  siglongjmp(jb, n);
}
int main(int argc, char** argv) {
  start(&argc, &argv);
  struct sigaction sa = {.sa_handler = h};
  sigaction(SIGSEGV, &sa, NULL);
  sigaction(SIGFPE, &sa, NULL);
  for (volatile int i = 0; i < 12; ++i) {
    gsum(i);
    int r = sigsetjmp(jb, 1);
    if (r == 0) {
      *(volatile int*)0 = 1;
    }
    sigset_t s;
    sigprocmask(SIG_BLOCK, NULL, &s);
    printf("%d %d %d %d\n", rank, i, r, sigismember(&s, SIGSEGV));
  }
  MPI_Finalize();
  return 0;
}
