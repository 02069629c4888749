/* refused VARIABLE|HEAP: holds an address of the stack that the system gave to the process, which means nothing in
 * another one, in a variable or in the heap. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "cppc/cppc.h"

extern const char cppc_by_address;
const char cppc_by_address = 1;

static void* of_the_system;
static void** in_the_heap;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  void* const address = (void*)getauxval(AT_RANDOM);
  if (argv[1][0] == 'v') of_the_system = address;
  in_the_heap = malloc(40);
  if (argv[1][0] == 'h') in_the_heap[3] = address;
  if (cppc_safe_point(1)) cppc_stop_here();
  printf("%p %p\n", of_the_system, in_the_heap[3]);
  MPI_Finalize();
  return 0;
}
