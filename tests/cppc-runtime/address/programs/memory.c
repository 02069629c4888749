/* What C programs do with memory and addresses that no type tells: row pointers and rows in one block, addresses in
 * integers and disguised, a pointer in front of its block, recursion, variable-length arrays, setjmp, realloc. */
#include <mpi.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cppc/cppc.h"

extern const char cppc_by_address;
const char cppc_by_address = 1;

static jmp_buf again;
static uintptr_t disguised;
static char pool[256];

static void safe_point(void) {
  if (cppc_safe_point(1)) cppc_stop_here();
}

static double sum_of(int n, int depth) {
  double local[n];
  for (int i = 0; i < n; ++i) local[i] = i + depth;
  if (depth > 0) local[n - 1] += sum_of(n + 1, depth - 1);
  safe_point();
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += local[i];
  return sum;
}

/* What tools show of the process. */
static void print_own_name(void) {
  char name[32] = "";
  FILE* const file = fopen("/proc/self/comm", "r");
  if (file == NULL || fgets(name, sizeof name, file) == NULL) abort();
  fclose(file);
  printf("a process called %s", name);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  enum { rows = 6, columns = 50 };
  double** const table = malloc(rows * sizeof *table + rows * columns * sizeof **table);
  for (int i = 0; i < rows; ++i) table[i] = (double*)(table + rows) + i * columns;
  for (int i = 0; i < rows * columns; ++i) table[0][i] = i * 0.25;
  double* const from_one = (double*)malloc(10 * sizeof *from_one) - 1;
  for (int i = 1; i <= 10; ++i) from_one[i] = i;
  void* const number = (void*)(intptr_t)100000;
  int* const secret = malloc(sizeof *secret);
  *secret = 1;
  disguised = (uintptr_t)secret ^ 0x5555;
  char** const in_pool = (char**)pool;
  *in_pool = strdup("in a pool of characters");
  volatile int jumps = 0;
  char* growing = NULL;
  for (volatile int step = 0; step < 3; ++step) {
    print_own_name();
    growing = realloc(growing, (size_t)(step + 1) * 1000);
    memset(growing + step * 1000, 'a' + step, 1000);
    const int came = setjmp(again);
    safe_point();
    ++*(int*)(disguised ^ 0x5555);
    double sum = 0;
    for (int i = 0; i < rows; ++i)
      for (int k = 0; k < columns; ++k) sum += table[i][k] += 1;
    for (int i = 1; i <= 10; ++i) sum += from_one[i];
    printf("%d %d: %g %d %g %s %c%c %d\n", step, came, sum, (int)(intptr_t)number, sum_of(4, 2), *in_pool, growing[0],
           growing[step * 1000 + 999], *secret);
    if (jumps++ == 1) longjmp(again, 5);
  }
  free(table);
  free(from_one + 1);
  free(growing);
  MPI_Finalize();
  return 0;
}
