/* Addresses in memory that only the dynamic linker knows, below and above the main thread's thread-locals: it leaves such
   on the stack when a function is called for the first time, and a program copies them with a structure of which it has
   not set all. */
#define _GNU_SOURCE
#include <link.h>

#include "adversarial.h"

static uintptr_t lowest = UINTPTR_MAX;

static int note(struct dl_phdr_info* library, size_t size, void* context) {
  const uintptr_t data = (uintptr_t)library->dlpi_tls_data;
  if (data != 0 && data < lowest) lowest = data;
  return 0;
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  dl_iterate_phdr(note, NULL);
  const uintptr_t page = lowest / 4096 * 4096, thread = (uintptr_t)__builtin_thread_pointer();
  uintptr_t* left = malloc(2 * sizeof *left);
  left[0] = page + 16;
  left[1] = thread + 0x900;  // behind what the C library has about the thread
  double right = 0;
  for (int it = 0; it < 10; it++) right += gsum(it) + (left[0] == page + 16) + (left[1] == thread + 0x900);
  printf("%d %g\n", rank, right);
  MPI_Finalize();
  return 0;
}
