// FLAGS -O2 -rdynamic
/* Libraries that the program opens, closes and opens again, one in each step, beside one that stays. */
#include <dlfcn.h>

#include "adversarial.h"
double tuning = 1;
int main(int argc, char** argv) {
  start(&argc, &argv);
  double sum = 0;
  void* const stays = dlopen("libBrokenLocale.so.1", RTLD_NOW);
  for (int it = 0; it < 10; it++) {
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    double (*next)(void) = NULL;
    if (library != NULL) *(void**)&next = dlsym(RTLD_DEFAULT, "lib_next");
    sum += gsum(it);
    if (next != NULL) sum += next() + next();
    if (it % 3 == 2) dlclose(library);
    if (it % 3 == 2) dlclose(library);
    if (it % 3 == 2) dlclose(library);
    int loaded = dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) != NULL;
    if (loaded) dlclose(library);
    printf("%d %d %g %d\n", rank, it, sum, loaded);
  }
  printf("%d %d\n", rank, dlsym(stays, "__ctype_get_mb_cur_max") != NULL);
  MPI_Finalize();
  return 0;
}
