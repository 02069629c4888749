#line 1 "heap.c"
/* Memory: wrappers, macros, linked structures, unknown and known types, arrays that each step overwrites first. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEW(type, n) ((type*)malloc((n) * sizeof(type)))
#define N 1000

struct item {
  struct item* next;
  unsigned kind : 3, used : 1;
  double weights[4];
  char* name;
  union {
    int i;
    float f;
  } value;
};

static double *field, *work;
static struct item* items;


#include <cppc/safe_points.h>
#line 24
static void* checked(size_t bytes) {
  void* block = malloc(bytes);
  if (block == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  return block;
}

static void push(const char* name) {
  struct item* item = checked(sizeof *item);
  memset(item, 0, sizeof *item);
  item->name = strdup(name);
  item->next = items;
  items = item;
}

static void pop(void) {
  struct item* first = items;
  items = first->next;
  free(first->name);
  free(first);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  field = NEW(double, N);
  work = checked(N * sizeof *work);
  for (int i = 0; i < N; i++) field[i] = i;
  push("first");
  for (int step = 0; step < 500; step++) { if (cppc_safe_point(1)) { if ((long)1000 > (long)0) cppc_dead_range_within(&(work[0]), (size_t)((long)1000 - (long)0) * sizeof(work[0]), (const void*)work, 0, 0); cppc_stop_here(); } 
    push("another");
    for (int i = 0; i < N; i++) work[i] = field[i] * 0.5;
    for (int i = 1; i < N; i++) field[i] = work[i - 1];
    if (step % 2 == 1) pop();
    MPI_Allreduce(MPI_IN_PLACE, field, N, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  double sum = 0;
  for (int i = 0; i < N; i++) sum += field[i];
  printf("%.17g %s\n", sum, items->name);
  while (items != NULL) pop();
  free(work);
  free(field);
  MPI_Finalize();
  return 0;
}

