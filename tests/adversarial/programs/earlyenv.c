/* The program's setenv() has made the environment's array grow before MPI puts variables of its own into it. */
#include "adversarial.h"
extern char** environ;
int main(int argc, char** argv) {
  setenv("EARLY", "one", 1);
  start(&argc, &argv);
  char** const kept = environ;
  for (int it = 0; it < 12; it++) {
    const double sum = gsum(it);
    int present = 0, damaged = 0;
    for (char** one = environ; *one != NULL; one++) present += strncmp(*one, "EARLY=one", 9) == 0;
    for (char** one = kept; *one != NULL; one++) damaged += strchr(*one, '=') == NULL;
    printf("%d %g %s %d %d\n", rank, sum, getenv("EARLY"), present, damaged);
  }
  MPI_Finalize();
  return 0;
}
