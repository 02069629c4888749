/* A program without MPI that loads a library with it and calls the library's function start(). */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
  void (*start)(void) = library != NULL ? (void (*)(void))dlsym(library, "start") : NULL;
  if (start == NULL) return 3;
  start();
  puts("started");
  return 0;
}
