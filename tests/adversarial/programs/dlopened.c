/* A library opened while the program runs, which all processes have from the start. */
#include <dlfcn.h>

#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  void* library = dlopen("libz.so.1", RTLD_NOW);
  unsigned long (*checksum)(unsigned long, const unsigned char*, unsigned) = NULL;
  if (library != NULL) *(void**)&checksum = dlsym(library, "crc32");
  unsigned long sum = 0;
  for (int it = 0; it < 10 && checksum != NULL; it++) {
    gsum(it);
    sum = checksum(sum, (const unsigned char*)&it, sizeof it);
  }
  printf("%d %lx\n", rank, sum);
  MPI_Finalize();
  return 0;
}
