/* The plate of heat.c: how it is cut among the ranks, what one step does to it, and whether the result is right.
 *
 * A square of size x size points, its edges at temperature 0. A step replaces every point by the mean of its four
 * neighbours (Jacobi). It starts as sin(pi x) sin(pi y), a mode of this iteration: each step multiplies it by
 * cos(pi h), h the distance of two points. So the exact result is known; and since no point's value depends on how the
 * plate is cut, neither does the checksum. */
#pragma once

#include <mpi.h>
#include <stdint.h>

enum side { NORTH, SOUTH, WEST, EAST };

/* A rank's part of the plate. Its grids are arrays of (rows + 2) x (columns + 2) doubles: the block and its rim. */
struct block {
  MPI_Comm grid; /* Cartesian, of all ranks */
  int rank;
  int size;            /* points per side of the plate */
  int first_row, rows; /* of the plate's points 1..size */
  int first_column, columns;
  int neighbours[4]; /* by enum side; MPI_PROC_NULL at an edge of the plate */
  double* packed;    /* columns on their way: west out, east out, west in, east in; `rows` values each */
};

/* Collective over MPI_COMM_WORLD, as is release_block(). */
void make_block(struct block* block, int size);
void release_block(struct block* block);

/* A new grid without values, for free(). */
double* make_grid(const struct block* block);

/* A new grid in its state at step 0, for free(). */
double* make_start(const struct block* block);

/* Swaps edges with the neighbours and fills the rim: with theirs, or with 0 at an edge of the plate. Writes every
 * element of the rim but its corners, which nobody reads, and all of `packed`. Collective. */
void exchange_halo(const struct block* block, double* grid);

/* Computes the points of `next` from those of `now` and its rim. */
void relax(const struct block* block, const double* now, double* next);

/* The largest change of any point of the plate. Collective. */
double largest_change(const struct block* block, const double* now, const double* next);

/* The steps after which the mode has shrunk so far that doubles leave nothing to check. */
double checkable_steps(int size);

struct result {
  uint64_t checksum; /* over every point's place and bits, the same in any order */
  uint64_t wrong;    /* points that differ from theory by more than 1e-12 of their value per step */
};

/* Collective. */
struct result examine(const struct block* block, const double* grid, long steps);
