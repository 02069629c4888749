#include "mg_levels.h"

#include <stdio.h>
#include <stdlib.h>

static struct place place;

/* ---- The blocks ---- */

double* allocate(size_t count) {
  double* memory = malloc(count * sizeof(double));
  if (memory == NULL) {
    fprintf(stderr, "mg: no memory for %zu numbers; take more ranks\n", count);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}

void make_place(void) {
  int ranks;
  const int periodic[DIRECTIONS] = {1, 1, 1};
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, DIRECTIONS, place.blocks);
  MPI_Cart_create(MPI_COMM_WORLD, DIRECTIONS, place.blocks, periodic, 0, &place.cube);
  MPI_Comm_rank(place.cube, &place.rank);
  MPI_Cart_coords(place.cube, place.rank, DIRECTIONS, place.position);
  for (int d = 0; d < DIRECTIONS; ++d) MPI_Cart_shift(place.cube, d, 1, &place.before[d], &place.after[d]);
}

void release_place(void) { MPI_Comm_free(&place.cube); }

const struct place* own_place(void) { return &place; }

struct level make_level(int k) {
  struct level level;
  for (int d = 0; d < DIRECTIONS; ++d) level.size[d] = (1 << k) / place.blocks[d];
  level.stride[X] = 1;
  level.stride[Y] = (size_t)level.size[X] + 2;
  level.stride[Z] = level.stride[Y] * ((size_t)level.size[Y] + 2);
  level.points = level.stride[Z] * ((size_t)level.size[Z] + 2);
  return level;
}

/* ---- The neighbours' points ---- */

/* The points of a block whose index in one direction is fixed. */
struct face {
  size_t outer_stride, inner_stride;
  int outer, inner; /* how many, with the neighbours' points */
};

static struct face face_of(const struct level* level, int direction) {
  const int outer = direction == Z ? Y : Z, inner = direction == X ? Y : X;
  return (struct face){level->stride[outer], level->stride[inner], level->size[outer] + 2, level->size[inner] + 2};
}

static void copy_face(const struct face* face, const double* from, double* to) {
  for (int i = 0; i < face->outer; ++i) {
    const size_t row = (size_t)i * face->outer_stride;
    for (int j = 0; j < face->inner; ++j) {
      to[row + (size_t)j * face->inner_stride] = from[row + (size_t)j * face->inner_stride];
    }
  }
}

/* Sends the face at `sent` one way, and receives the one at `received` from the other side. */
static void swap_face(const struct face* face, const double* sent, int to, double* received, int from) {
  const int count = face->outer * face->inner;
  double* edge = allocate((size_t)count);
  double* next = edge;
  for (int i = 0; i < face->outer; ++i) {
    for (int j = 0; j < face->inner; ++j) {
      *next++ = sent[(size_t)i * face->outer_stride + (size_t)j * face->inner_stride];
    }
  }
  MPI_Sendrecv_replace(edge, count, MPI_DOUBLE, to, 0, from, 0, place.cube, MPI_STATUS_IGNORE);
  next = edge;
  for (int i = 0; i < face->outer; ++i) {
    for (int j = 0; j < face->inner; ++j) {
      received[(size_t)i * face->outer_stride + (size_t)j * face->inner_stride] = *next++;
    }
  }
  free(edge);
}

/* Fills in the layer around the block, direction by direction: so the corners come too. */
void exchange(const struct level* level, double* values) {
  for (int d = DIRECTIONS - 1; d >= 0; --d) {
    const struct face face = face_of(level, d);
    const size_t stride = level->stride[d];
    double* first = values + stride;
    double* last = values + stride * (size_t)level->size[d];
    if (place.blocks[d] == 1) {
      copy_face(&face, last, values);
      copy_face(&face, first, last + stride);
    } else {
      swap_face(&face, last, place.after[d], values, place.before[d]);
      swap_face(&face, first, place.before[d], last + stride, place.after[d]);
    }
  }
}
