/* Much more memory than what is used of it: 64 MB of the heap and 64 MB of variables, of each of which 1 MB is written.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cppc/cppc.h"

extern const char cppc_by_address;
const char cppc_by_address = 1;

enum { all = 64 << 20, used = 1 << 20 };
static char variable[all];

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  char* const block = malloc(all);
  memset(block, 1, used);
  memset(variable, 1, used);
  if (cppc_safe_point(1)) cppc_stop_here();
  printf("%d %d\n", block[used - 1], variable[used - 1]);
  MPI_Finalize();
  return 0;
}
