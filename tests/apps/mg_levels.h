/* The cube of mg.c, periodic all ways: how it is cut into blocks among the ranks, on every level, and how the blocks
 * get their neighbours' points. */
#pragma once

#include <mpi.h>
#include <stddef.h>

enum { MAX_LEVELS = 9, MAX_RANKS = 8 };
enum direction { Z, Y, X, DIRECTIONS }; /* from the slowest to the fastest index */

/* Of the process, the same on all levels. */
struct place {
  MPI_Comm cube;
  int rank;
  int blocks[DIRECTIONS], position[DIRECTIONS];
  int before[DIRECTIONS], after[DIRECTIONS]; /* neighbours */
};

/* The own block on level k, which has 2^k points per side of the cube. */
struct level {
  int size[DIRECTIONS]; /* without the neighbours' points */
  size_t stride[DIRECTIONS];
  size_t points; /* with them */
};

/* Collective over all ranks: a power of two, at most MAX_RANKS. Before anything else; release_place() ends it. */
void make_place(void);
void release_place(void);
const struct place* own_place(void);

struct level make_level(int k);

/* `count` numbers, for free(). Ends the program if there is no memory. */
double* allocate(size_t count);

/* The beginning of a row of points, the first of which is the neighbour's. */
static inline size_t row_at(const struct level* level, int z, int y) {
  return (size_t)z * level->stride[Z] + (size_t)y * level->stride[Y];
}

/* Fills in the layer of neighbours' points around the block, all of it. Collective. */
void exchange(const struct level* level, double* values);
