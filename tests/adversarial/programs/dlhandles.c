/* Handles of dlopen() in the heap, of libraries that all processes have from the start and of the program itself. */
#include <dlfcn.h>

#include "adversarial.h"
struct handles {
  void* library;
  void* program;
};
int main(int argc, char** argv) {
  start(&argc, &argv);
  struct handles* handles = malloc(sizeof *handles);
  handles->library = dlopen("libz.so.1", RTLD_NOW);
  handles->program = dlopen(NULL, RTLD_NOW);
  unsigned long sum = 0;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    unsigned long (*checksum)(unsigned long, const unsigned char*, unsigned) = NULL;
    *(void**)&checksum = dlsym(handles->library, "crc32");
    sum = checksum(sum, (const unsigned char*)&it, sizeof it);
    sum += dlsym(handles->program, "MPI_Init") != NULL;
  }
  printf("%d %lx %d %d\n", rank, sum, dlclose(handles->library), dlclose(handles->program));
  MPI_Finalize();
  return 0;
}
