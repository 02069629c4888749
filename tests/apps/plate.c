#include "plate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"

/* ---- Cutting the plate ---- */

static size_t index_of(const struct block* block, int row, int column) {
  return (size_t)row * (size_t)(block->columns + 2) + (size_t)column;
}

double* make_grid(const struct block* block) { return allocate(index_of(block, block->rows + 2, 0), sizeof(double)); }

/* The `part`-th of `parts` nearly equal parts of the points 1..size. */
static void cut(int size, int parts, int part, int* first, int* length) {
  const int before = (int)((long)size * part / parts);
  *first = before + 1;
  *length = (int)((long)size * (part + 1) / parts) - before;
}

void make_block(struct block* block, int size) {
  int ranks;
  int parts[2] = {0, 0};
  int coordinates[2];
  const int periods[2] = {0, 0};
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, parts);
  MPI_Cart_create(MPI_COMM_WORLD, 2, parts, periods, 0, &block->grid);
  MPI_Comm_rank(block->grid, &block->rank);
  MPI_Cart_coords(block->grid, block->rank, 2, coordinates);
  MPI_Cart_shift(block->grid, 0, 1, &block->neighbours[NORTH], &block->neighbours[SOUTH]);
  MPI_Cart_shift(block->grid, 1, 1, &block->neighbours[WEST], &block->neighbours[EAST]);

  block->size = size;
  cut(size, parts[0], coordinates[0], &block->first_row, &block->rows);
  cut(size, parts[1], coordinates[1], &block->first_column, &block->columns);
  block->packed = allocate(4 * (size_t)block->rows, sizeof *block->packed);
}

void release_block(struct block* block) {
  free(block->packed);
  MPI_Comm_free(&block->grid);
}

/* ---- The mode ---- */

/* Along one dimension, at point 1..size. Folded at the middle, so that it is as accurate at the far end as at the
 * near one, relative to its own value. */
static double mode(int point, int size) {
  const int from_edge = point <= size - point ? point : size + 1 - point;
  return sin(M_PI * from_edge / (size + 1));
}

static double decay_per_step(int size) { return cos(M_PI / (size + 1)); }

double checkable_steps(int size) { return floor(log(1e-200) / log(decay_per_step(size))); }

double* make_start(const struct block* block) {
  double* grid = make_grid(block);
  for (int row = 1; row <= block->rows; ++row) {
    const double height = mode(block->first_row + row - 1, block->size);
    for (int column = 1; column <= block->columns; ++column) {
      grid[index_of(block, row, column)] = height * mode(block->first_column + column - 1, block->size);
    }
  }
  return grid;
}

/* ---- One step ---- */

static void clear_rim(const struct block* block, double* grid) {
  const size_t row_bytes = (size_t)block->columns * sizeof *grid;
  memset(&grid[index_of(block, 0, 1)], 0, row_bytes);
  memset(&grid[index_of(block, block->rows + 1, 1)], 0, row_bytes);
  memset(&block->packed[2 * block->rows], 0, 2 * (size_t)block->rows * sizeof *block->packed);
}

void exchange_halo(const struct block* block, double* grid) {
  const int rows = block->rows;
  const int columns = block->columns;
  const int* to = block->neighbours;
  double* west_out = block->packed;
  double* east_out = west_out + rows;
  double* west_in = east_out + rows;
  double* east_in = west_in + rows;

  clear_rim(block, grid);
  for (int row = 0; row < rows; ++row) {
    west_out[row] = grid[index_of(block, row + 1, 1)];
    east_out[row] = grid[index_of(block, row + 1, columns)];
  }

  /* A message's tag is the side on which it arrives. */
  MPI_Request requests[8];
  MPI_Irecv(&grid[index_of(block, 0, 1)], columns, MPI_DOUBLE, to[NORTH], NORTH, block->grid, &requests[0]);
  MPI_Irecv(&grid[index_of(block, rows + 1, 1)], columns, MPI_DOUBLE, to[SOUTH], SOUTH, block->grid, &requests[1]);
  MPI_Irecv(west_in, rows, MPI_DOUBLE, to[WEST], WEST, block->grid, &requests[2]);
  MPI_Irecv(east_in, rows, MPI_DOUBLE, to[EAST], EAST, block->grid, &requests[3]);
  MPI_Isend(&grid[index_of(block, 1, 1)], columns, MPI_DOUBLE, to[NORTH], SOUTH, block->grid, &requests[4]);
  MPI_Isend(&grid[index_of(block, rows, 1)], columns, MPI_DOUBLE, to[SOUTH], NORTH, block->grid, &requests[5]);
  MPI_Isend(west_out, rows, MPI_DOUBLE, to[WEST], EAST, block->grid, &requests[6]);
  MPI_Isend(east_out, rows, MPI_DOUBLE, to[EAST], WEST, block->grid, &requests[7]);
  MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);

  for (int row = 0; row < rows; ++row) {
    grid[index_of(block, row + 1, 0)] = west_in[row];
    grid[index_of(block, row + 1, columns + 1)] = east_in[row];
  }
}

/* The symmetric sum, with no product that the compiler could fuse, keeps every bit on any decomposition. */
void relax(const struct block* block, const double* restrict now, double* restrict next) {
  for (int row = 1; row <= block->rows; ++row) {
    const double* above = &now[index_of(block, row - 1, 0)];
    const double* here = &now[index_of(block, row, 0)];
    const double* below = &now[index_of(block, row + 1, 0)];
    double* out = &next[index_of(block, row, 0)];
    for (int column = 1; column <= block->columns; ++column) {
      out[column] = 0.25 * ((above[column] + below[column]) + (here[column - 1] + here[column + 1]));
    }
  }
}

double largest_change(const struct block* block, const double* now, const double* next) {
  double largest = 0;
  for (int row = 1; row <= block->rows; ++row) {
    for (int column = 1; column <= block->columns; ++column) {
      const size_t point = index_of(block, row, column);
      largest = fmax(largest, fabs(next[point] - now[point]));
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, block->grid);
  return largest;
}

/* ---- The result ---- */

/* Spreads every bit over all bits (the finaliser of MurmurHash3). */
static uint64_t mix(uint64_t bits) {
  bits = (bits ^ (bits >> 33)) * UINT64_C(0xff51afd7ed558ccd);
  bits = (bits ^ (bits >> 33)) * UINT64_C(0xc4ceb9fe1a85ec53);
  return bits ^ (bits >> 33);
}

static uint64_t hash_of(int row, int column, double value) {
  const uint64_t place = (uint64_t)row << 32 | (uint64_t)column;
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return mix(bits ^ mix(place));
}

struct result examine(const struct block* block, const double* grid, long steps) {
  const double decay = pow(decay_per_step(block->size), (double)steps);
  const double tolerance = 1e-12 * (double)steps;
  uint64_t sums[2] = {0, 0}; /* of hashes, modulo 2^64, and of wrong points: exact in any order */
  for (int row = 1; row <= block->rows; ++row) {
    const int plate_row = block->first_row + row - 1;
    const double height = mode(plate_row, block->size);
    for (int column = 1; column <= block->columns; ++column) {
      const int plate_column = block->first_column + column - 1;
      const double value = grid[index_of(block, row, column)];
      const double expected = decay * (height * mode(plate_column, block->size));
      sums[0] += hash_of(plate_row, plate_column, value);
      sums[1] += !(fabs(value - expected) <= tolerance * expected); /* true for a NaN as well */
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_UINT64_T, MPI_SUM, block->grid);
  return (struct result){.checksum = sums[0], .wrong = sums[1]};
}
