#include "conformance.h"

#include <stdio.h>

enum { STEPS = 12 };

int me, ranks, before, after;
static int wrong;

void expect(bool right, const char* what, const char* file, int line) {
  if (right) return;
  fprintf(stderr, "rank %d: %s:%d: not %s\n", me, file, line, what);
  ++wrong;
}

int main(int argc, char** argv) {
  int all_wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  before = (me + ranks - 1) % ranks;
  after = (me + 1) % ranks;
  make_objects();
  for (int step = 0; step < STEPS; ++step) use_objects(step);
  free_objects();
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) printf("%d wrong\n", all_wrong);
  MPI_Finalize();
  return all_wrong == 0 ? 0 : 1;
}
