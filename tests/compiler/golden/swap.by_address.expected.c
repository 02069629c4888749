#line 1 "swap.c"
/* Arrays that swap places: the one that is computed anew is not saved, although its kind of memory is read. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct grid {
  int rows, columns;
};


#include <cppc/safe_points.h>
#line 10
static size_t at(const struct grid* grid, int row, int column) {
  return (size_t)row * (size_t)(grid->columns + 2) + (size_t)column;
}

static double* make(const struct grid* grid) { return calloc(at(grid, grid->rows + 2, 0), sizeof(double)); }

/* The rim of `next` stays as it is. */
static void relax(const struct grid* grid, const double* now, double* next) {
  for (int row = 1; row <= grid->rows; ++row) {
    const double* above = &now[at(grid, row - 1, 0)];
    double* out = &next[at(grid, row, 0)];
    for (int column = 1; column <= grid->columns; ++column) out[column] = above[column] + now[at(grid, row, column - 1)];
  }
}

static double* work(const struct grid* grid, double* now, int steps) {
  double* next = make(grid);
  for (int step = 0; step < steps; ++step) { if (cppc_safe_point(1)) { { long cppc_0; const void* const cppc_apart[] = {(const void*)now}; if (grid != 0) for (cppc_0 = 1; cppc_0 <= (long)(grid->rows); ++cppc_0) if ((long)(grid->columns) >= (long)1) cppc_dead_range_within(&((&next[((unsigned long)(((unsigned long)((int)((int)cppc_0))) * ((unsigned long)(grid->columns + 2)) + ((unsigned long)((int)0))))])[1]), (size_t)((long)(grid->columns) - (long)1 + 1) * sizeof((&next[((unsigned long)(((unsigned long)((int)((int)cppc_0))) * ((unsigned long)(grid->columns + 2)) + ((unsigned long)((int)0))))])[1]), (const void*)next, cppc_apart, 1); } cppc_stop_here(); } 
    MPI_Bcast(now, grid->columns, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (now[1] > 1e6) break;
    relax(grid, now, next);
    double* before = now;
    now = next;
    next = before;
  }
  free(next);
  return now;
}

int main(int argc, char** argv) {
  struct grid grid = {300, 300};
  MPI_Init(&argc, &argv);
  double* start = make(&grid);
  for (int row = 0; row <= grid.rows + 1; ++row) start[at(&grid, row, 0)] = 1 + row;
  double* final = work(&grid, start, 50);
  double sum = 0;
  for (size_t i = 0; i < at(&grid, grid.rows + 2, 0); ++i) sum += final[i];
  printf("%.17g\n", sum);
  free(final);
  MPI_Finalize();
  return 0;
}

