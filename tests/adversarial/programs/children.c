/* A child that waits for its parent. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  for (int it = 0; it < 10; it++) gsum(it);
  int status = 0;
  kill(child, SIGTERM);
  const int waited = waitpid(child, &status, 0) == child && WIFSIGNALED(status);
  printf("%d %d\n", rank, waited);
  MPI_Finalize();
  return 0;
}
