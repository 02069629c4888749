/* A library opened while the program runs, which MPI does not have. */
#include <dlfcn.h>

#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  void* library = dlopen("libBrokenLocale.so.1", RTLD_NOW);
  for (int it = 0; it < 10; it++) gsum(it);
  printf("%d %d\n", rank, library != NULL && dlsym(library, "__ctype_get_mb_cur_max") != NULL);
  MPI_Finalize();
  return 0;
}
