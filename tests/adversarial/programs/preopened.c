// FLAGS -O2 -rdynamic
/* A library that was preloaded, and that the program opens as well: nobody would carry its state. */
#include <dlfcn.h>
#include <unistd.h>

#include "adversarial.h"
double tuning = 1;
int main(int argc, char** argv) {
  if (getenv("LD_PRELOAD") == NULL) {
    setenv("LD_PRELOAD", argv[1], 1);
    return execv("/proc/self/exe", argv);
  }
  start(&argc, &argv);
  void* library = dlopen(argv[1], RTLD_NOW);
  double (*next)(void) = NULL;
  if (library != NULL) *(void**)&next = dlsym(library, "lib_next");
  double sum = 0;
  for (int it = 0; it < 10 && next != NULL; it++) sum += gsum(it) + next();
  printf("%d %g\n", rank, sum);
  MPI_Finalize();
  return 0;
}
