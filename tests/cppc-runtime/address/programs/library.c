/* library [changed]: uses a library whose constructor (started.c) had memory from the C library and a thread, and which
 * lies where that says; changed: what is in that memory changes, too, which no other process would see. */
#include <mpi.h>
#include <stdio.h>

#include "cppc/cppc.h"

extern const char cppc_by_address;
const char cppc_by_address = 1;

const char* started_text(void);
const char* started_second_text(void);
int started_count(void);
int started_work(int number);
void started_change(void);

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc > 1) started_change();
  for (int step = 0; step < 12; ++step) {
    if (cppc_safe_point(1)) cppc_stop_here();
    printf("%d: %s, %s, %d\n", started_count(), started_text(), started_second_text(), started_work(step + 1));
  }
  MPI_Finalize();
  return 0;
}
