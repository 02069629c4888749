#include "adversarial.h"
#include <sys/wait.h>
#include <spawn.h>
#include <unistd.h>
extern char** environ;
int main(int argc, char** argv) {
  start(&argc, &argv);
  for (int i = 0; i < 10; ++i) {
    gsum(i);
    fflush(stdout);
    int r = system("exit 3");
    pid_t p;
    char* av[] = {"true", NULL};
    posix_spawnp(&p, "true", NULL, NULL, av, environ);
    int st;
    waitpid(p, &st, 0);
    pid_t f = fork();
    if (f == 0) _exit(7);
    int st2;
    waitpid(f, &st2, 0);
    FILE* q = popen("echo hello", "r");
    char b[32] = "";
    fgets(b, 32, q);
    int st3 = pclose(q);
    printf("%d %d %d %d %d %s %d\n", rank, i, WEXITSTATUS(r), st, WEXITSTATUS(st2), b, st3);
  }
  MPI_Finalize();
  return 0;
}
