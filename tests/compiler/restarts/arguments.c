/* Calls that reach a safe point, with arguments that have effects: a process that takes over does nothing twice and
   leaves nothing out. */
#include <mpi.h>
#include <stdio.h>

extern int total, taken, table[8];

static int step(int by) {
#pragma cppc checkpoint
  for (int k = 0; k < 1; k++) {
    MPI_Barrier(MPI_COMM_WORLD);
    total += by;
  }
  return total;
}
static int next(void) { return ++taken; }
static int both(int a, int b) {
  step(a % 3 + 1);
  return a + 2 * b;
}

static int one_each(int n) {
  int made = step(n++);
  made += 100 * n;
  made += step(n += 2);
  made += 10 * n;
  made += step(next());
  made += step(1 + table[taken++ % 8]++);
  const int* next_one = table;
  made += step(*next_one++);
  made += step(table[n++ % 8]);
  made += 10 * n + (int)(next_one - table);
  for (int k = 0; both(k++, 1) < 4;) made += k;
  while (both(n--, 1) > 5) made += n;
  return made + n;
}

static int several(int n) {
  int made = 0;
  made += both(1, 2) + both(2, taken++);
  made += both(n++, 1) + both(2, 2);
  made += 10 * n;
  made = both(both(1, 2), both(both(3, 4), 5)) + made % 100;
  made = both(step(1), n++) + made % 100;
  return made + n;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int from = argc + 1;
  struct constants {
    int first;
  } const all = {from};
  long sum = one_each(from);
  sum += several(all.first) + from;
  printf("%ld %d %d", sum, total, taken);
  for (int k = 0; k < 8; k++) printf(" %d", table[k]);
  printf("\n");
  MPI_Finalize();
  return 0;
}
