/* The square of blocks.c, periodic both ways, cut into blocks among a grid of ranks; and fields of values on it. */
#pragma once

#include <mpi.h>
#include <stdbool.h>

enum direction { UP, DOWN, LEFT, RIGHT, DIRECTIONS };

/* Who is where. */
struct layout {
  MPI_Comm grid;   /* Cartesian, periodic, of all ranks */
  MPI_Comm row;    /* the ranks beside this one */
  MPI_Comm column; /* the ranks above and below */
  int rank;
  int blocks[2];   /* down, across */
  int position[2]; /* of this rank's block */
  int neighbours[DIRECTIONS];
};

/* Values at a block's cells and in a rim around them, by rows 0..rows + 1 and columns 0..columns + 1. */
struct field {
  struct {
    int rows, columns;
  } inner;
  double** row;
};

/* Collective over all ranks, as is leave_grid(). Returns whether a square of size x size cells can be cut: into blocks
 * of the same even size. Only then leave_grid() is wanted. */
bool enter_grid(int size);
void leave_grid(void);

/* Between enter_grid() and leave_grid(). */
const struct layout* layout(void);

/* A field of zeros. */
struct field make_field(int rows, int columns);
void release_field(struct field* field);

/* Copies the inner cells between fields of the same size. */
void copy_field(struct field* to, const struct field* from);

/* Fills the rim, but for its corners, with the neighbours' edges. Collective. */
void exchange_rim(struct field* field);
