/* The same library, closed when ranks move. */
#include <dlfcn.h>

#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  int found = 0;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    void* library = dlopen("libBrokenLocale.so.1", RTLD_NOW);
    found += library != NULL && dlsym(library, "__ctype_get_mb_cur_max") != NULL;
    if (library != NULL) dlclose(library);
  }
  printf("%d %d\n", rank, found);
  MPI_Finalize();
  return 0;
}
