/* Functions that fork() calls, as the program has asked. */
#include "adversarial.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static int calls;
static void before(void) { calls++; }
static void in_parent(void) { calls += 10; }
static void in_child(void) { calls += 100; }

int main(int argc, char** argv) {
  start(&argc, &argv);
  pthread_atfork(before, in_parent, in_child);
  for (int it = 0; it < 10; it++) {
    const double sum = gsum(it);
    const pid_t child = fork();
    if (child == 0) _exit(calls & 127);
    int status;
    waitpid(child, &status, 0);
    printf("%d %d %g %d %d\n", rank, it, sum, calls, WEXITSTATUS(status));
  }
  MPI_Finalize();
  return 0;
}
