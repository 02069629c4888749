#include "matrix.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "allocate.h"

static const double rcond = 0.1;

/* ---- The random vectors ---- */

/* All v_i, one after the other, in slots of `slot` elements of which the first `lengths[i]` are used. */
struct vectors {
  int slot;
  int* lengths;
  int* places;
  double* values;
};

/* The benchmark's generator, x <- 5^13 x mod 2^46, as a number between 0 and 1. */
static double next_random(uint64_t* x) {
  *x = *x * UINT64_C(1220703125) & ((UINT64_C(1) << 46) - 1);
  return (double)*x * 0x1p-46;
}

/* Where `place` stands in the list, or `length`. */
static int find(const int* places, int length, int place) {
  int i = 0;
  while (i < length && places[i] != place) ++i;
  return i;
}

/* Fills the slot of v_i and returns its length. Draws a value and a place per element; a place outside the vector or
 * already taken discards both. */
static int make_vector(const struct problem* problem, int i, uint64_t* seed, int* places, double* values) {
  int range = 1;
  while (range < problem->order) range *= 2;

  int length = 0;
  while (length < problem->nonzeros) {
    const double value = next_random(seed);
    const int place = (int)(range * next_random(seed));
    if (place >= problem->order || find(places, length, place) < length) continue;
    places[length] = place;
    values[length++] = value;
  }
  const int own = find(places, length, i);
  places[own] = i;
  values[own] = 0.5;
  return own < length ? length : length + 1;
}

static struct vectors make_vectors(const struct problem* problem) {
  const int slot = problem->nonzeros + 1;
  const size_t elements = (size_t)problem->order * (size_t)slot;
  struct vectors all = {.slot = slot,
                        .lengths = allocate((size_t)problem->order, sizeof(int)),
                        .places = allocate(elements, sizeof(int)),
                        .values = allocate(elements, sizeof(double))};
  uint64_t seed = 314159265;
  next_random(&seed); /* the benchmark throws the first number away */
  for (int i = 0; i < problem->order; ++i) {
    all.lengths[i] = make_vector(problem, i, &seed, &all.places[i * slot], &all.values[i * slot]);
  }
  return all;
}

static void release_vectors(struct vectors* all) {
  free(all->lengths);
  free(all->places);
  free(all->values);
}

/* ---- The matrix ---- */

int first_row_of(int order, int rank, int ranks) { return (int)((long)order * rank / ranks); }

/* The index of a global row among the own ones, or -1. */
static int own_row(const struct matrix* matrix, int row) {
  const int own = row - matrix->first_row;
  return own >= 0 && own < matrix->rows ? own : -1;
}

/* Makes room for all products that fall into the own rows. */
static void make_room(struct matrix* matrix, const struct vectors* all) {
  int* row_begin = allocate((size_t)matrix->rows + 1, sizeof(int));
  for (int row = 0; row <= matrix->rows; ++row) row_begin[row] = 0;
  for (int i = 0; i < matrix->order; ++i) {
    for (int k = 0; k < all->lengths[i]; ++k) {
      const int row = own_row(matrix, all->places[i * all->slot + k]);
      if (row >= 0) row_begin[row + 1] += all->lengths[i];
    }
  }
  for (int row = 0; row < matrix->rows; ++row) row_begin[row + 1] += row_begin[row];

  const size_t products = (size_t)row_begin[matrix->rows];
  matrix->row_begin = row_begin;
  matrix->columns = allocate(products, sizeof(int));
  matrix->values = allocate(products, sizeof(double));
}

/* Puts the products into their rows, in the order in which they arise. */
static void add_products(struct matrix* matrix, const struct vectors* all) {
  int* next = allocate((size_t)matrix->rows, sizeof(int));
  for (int row = 0; row < matrix->rows; ++row) next[row] = matrix->row_begin[row];
  const double ratio = pow(rcond, 1.0 / matrix->order);
  double weight = 1;
  for (int i = 0; i < matrix->order; ++i, weight *= ratio) {
    const int* places = &all->places[i * all->slot];
    const double* values = &all->values[i * all->slot];
    for (int k = 0; k < all->lengths[i]; ++k) {
      const int row = own_row(matrix, places[k]);
      if (row < 0) continue;
      for (int j = 0; j < all->lengths[i]; ++j) {
        matrix->columns[next[row]] = places[j];
        matrix->values[next[row]++] = weight * values[j] * values[k];
      }
    }
  }
  free(next);
}

/* Adds up the products of one element, adds the diagonal, and gives back the room that is left. */
static void merge_products(struct matrix* matrix, double diagonal) {
  int* found_at = allocate((size_t)matrix->order, sizeof(int)); /* by column; older than the row: not in it yet */
  for (int column = 0; column < matrix->order; ++column) found_at[column] = -1;
  int merged = 0;
  int i = 0;
  for (int row = 0; row < matrix->rows; ++row) {
    const int begin = merged;
    for (; i < matrix->row_begin[row + 1]; ++i) {
      const int column = matrix->columns[i];
      if (found_at[column] < begin) {
        found_at[column] = merged;
        matrix->columns[merged] = column;
        matrix->values[merged++] = matrix->values[i];
      } else {
        matrix->values[found_at[column]] += matrix->values[i];
      }
    }
    matrix->values[found_at[matrix->first_row + row]] += diagonal; /* v_i has an i-th element, so the place is there */
    matrix->row_begin[row] = begin;
  }
  matrix->row_begin[matrix->rows] = merged;
  free(found_at);
  matrix->columns = realloc(matrix->columns, (size_t)merged * sizeof *matrix->columns);
  matrix->values = realloc(matrix->values, (size_t)merged * sizeof *matrix->values);
}

void make_matrix(struct matrix* matrix, const struct problem* problem, int rank, int ranks) {
  matrix->order = problem->order;
  matrix->first_row = first_row_of(problem->order, rank, ranks);
  matrix->rows = first_row_of(problem->order, rank + 1, ranks) - matrix->first_row;
  struct vectors all = make_vectors(problem);
  make_room(matrix, &all);
  add_products(matrix, &all);
  release_vectors(&all);
  merge_products(matrix, rcond - problem->shift);
}

void release_matrix(struct matrix* matrix) {
  free(matrix->row_begin);
  free(matrix->columns);
  free(matrix->values);
}

void multiply(const struct matrix* matrix, const double* vector, double* result) {
  for (int row = 0; row < matrix->rows; ++row) {
    double sum = 0;
    for (int i = matrix->row_begin[row]; i < matrix->row_begin[row + 1]; ++i) {
      sum += matrix->values[i] * vector[matrix->columns[i]];
    }
    result[row] = sum;
  }
}
