// FLAGS -O2 -D_GNU_SOURCE -pthread
/* Where the stack of the main thread is, as collectors of garbage and interpreters ask for it. */
#include <pthread.h>

#include "adversarial.h"
extern void* __libc_stack_end;
static int within(const char* here) {
  pthread_attr_t attributes;
  void* begin = NULL;
  size_t size = 0;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &begin, &size);
  pthread_attr_destroy(&attributes);
  return here >= (char*)begin && here < (char*)begin + size && (char*)__libc_stack_end > here &&
         (char*)__libc_stack_end - here < 1 << 20;
}
int main(int argc, char** argv) {
  char here = 0;
  start(&argc, &argv);
  for (int it = 0; it < 10; it++) {
    gsum(it);
    printf("%d %d %d\n", rank, it, within(&here));
  }
  MPI_Finalize();
  return 0;
}
