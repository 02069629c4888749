#line 1 "members.c"
/* Arrays that a structure leads to, made by a function: of two, the one that is computed anew is not saved, although
 * both are reached in the same way and the other one is read. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct grid {
  int rows, columns, steps;
  double **now, **next; /* rows in one block, and pointers to them */
};


#include <cppc/safe_points.h>
#line 12
static double** make(int rows, int columns) {
  double** row = malloc((size_t)rows * sizeof *row);
  double* block = calloc((size_t)rows * (size_t)columns, sizeof *block);
  for (int i = 0; i < rows; ++i) row[i] = block + i * columns;
  return row;
}

static void step(struct grid* grid) {
  for (int i = 0; i < grid->rows; ++i)
    for (int k = 0; k < grid->columns; ++k) grid->next[i][k] = grid->now[i][k] + grid->now[grid->rows - 1 - i][k];
  for (int i = 0; i < grid->rows; ++i)
    for (int k = 0; k < grid->columns; ++k) grid->now[i][k] = grid->next[i][k] / 2;
  ++grid->steps;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct grid grid = {.rows = 200, .columns = 100, .now = make(200, 100)};
  grid.next = make(grid.rows, grid.columns);
  for (int i = 0; i < grid.rows; ++i) grid.now[i][i % 100] = 1 + i;
  for (int i = 0; i < 50; ++i) { if (cppc_safe_point(1)) { { long cppc_0; for (cppc_0 = 0; cppc_0 < (long)((&grid)->rows); ++cppc_0) if ((long)((&grid)->columns) > (long)0) cppc_dead_range(&((&grid)->next[((int)cppc_0)][0]), (size_t)((long)((&grid)->columns) - (long)0) * sizeof((&grid)->next[((int)cppc_0)][0])); } cppc_stop_here(); } 
    MPI_Barrier(MPI_COMM_WORLD);
    step(&grid);
  }
  printf("%g %d\n", grid.now[7][7], grid.steps);
  MPI_Finalize();
  return 0;
}

