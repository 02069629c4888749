/* A library with thread-local variables that the program opens: only the dynamic linker knows where these are. */
#include <dlfcn.h>

#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  void* library = dlopen(argv[1], RTLD_NOW);
  int (*count)(void) = NULL;
  if (library != NULL) *(void**)&count = dlsym(library, "count");
  for (int it = 0; it < 10 && count != NULL; it++) {
    gsum(it);
    printf("%d %d\n", rank, count());
  }
  MPI_Finalize();
  return 0;
}
