/* The matrix of the NAS conjugate gradient benchmark (NAS report RNR-94-007): random, sparse, symmetric,
 *   A = sum over i = 1..n of w_i v_i v_i^T + (rcond - shift) I
 * with weights w_i that fall geometrically from 1 to rcond = 0.1, and sparse random vectors v_i whose i-th element is
 * 0.5. Every rank generates all vectors, which is cheap, and keeps the rows that it owns. */
#pragma once

struct problem {
  const char* name; /* the benchmark's class */
  int order;
  int nonzeros; /* of a v_i, without the i-th element */
  int iterations;
  double shift;
  double zeta; /* the official result */
};

/* Some rows of the matrix, by row. */
struct matrix {
  int order;
  int first_row, rows;
  int* row_begin; /* rows + 1 indices into the next two */
  int* columns;
  double* values;
};

/* Of `order` rows divided among `ranks`, the first one of `rank`; rank == ranks gives the order. */
int first_row_of(int order, int rank, int ranks);

void make_matrix(struct matrix* matrix, const struct problem* problem, int rank, int ranks);
void release_matrix(struct matrix* matrix);

/* result = own rows of matrix * vector. `vector` has `order` elements, `result` has `rows`. */
void multiply(const struct matrix* matrix, const double* vector, double* result);
