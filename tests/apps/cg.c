/* The conjugate gradient kernel of the NAS Parallel Benchmarks, after its specification (NAS report RNR-94-007): the
 * smallest eigenvalue of a random sparse matrix by inverse iteration, each step solved by 25 iterations of the
 * conjugate gradient method. The official eigenvalues tell whether the result is right.
 *
 * Every rank owns some rows of the matrix, and those elements of the vectors.
 *
 * A time step is one inverse iteration, which solves A z = x.
 * Live at its start: the options and the problem; rank and number of ranks; the matrix; the numbers of the repetition
 * and of the iteration; x; the first repetition's result and how many others differed.
 * Not live: z, q, r and p, filled anew in each solution. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "hold.h"
#include "matrix.h"
#include "options.h"

enum { SOLVER_ITERATIONS = 25, SEGMENT_TAG = 1 };

static const char help[] =
    "Usage: cg CLASS [--repeat N] [--quiet] [--hold FILE --hold-at K]\n"
    "Runs the NAS conjugate gradient benchmark of class S, W, A or B and checks the result.\n"
    "  --repeat N   do all iterations N times; the results must be the same to the last bit (1)\n"
    "  --quiet      print the result only\n"
    "  --hold FILE  at iteration K (--hold-at K, or several, as 3,7; counted from 0, through all repetitions) wait\n"
    "               until FILE exists, and remove it\n"
    "Exit status: 0 right, 1 wrong, 2 wrong usage.\n"
    "Examples:\n"
    "  mpirun -n 4 cg A\n"
    "  mpirun -n 2 cg S --repeat 100 --quiet\n";

static const struct problem problems[] = {
    {"S", 1400, 7, 15, 10, 8.5971775078648},
    {"W", 7000, 8, 15, 12, 10.362595087124},
    {"A", 14000, 11, 15, 20, 17.130235054029},
    {"B", 75000, 13, 75, 60, 22.712745482631},
};
static const double tolerance = 1e-10;

struct options {
  struct usage usage;
  const struct problem* problem;
  long repeat;
  bool quiet;
  struct hold hold;
};

static struct matrix matrix;
static int rank, ranks;

/* Elements of the own rows, but for `whole`, which has those of all ranks. */
static double *x, *z, *q, *r; /* x: the eigenvector so far; z: the solution of A z = x; q = A p; r = x - A z */
static double* whole;         /* the search direction p */

/* ---- Vectors over all ranks ---- */

/* Completes `whole` with the segments of the other ranks. */
static void exchange_segments(void) {
  MPI_Request requests[2 * ranks];
  int used = 0;
  for (int other = 0; other < ranks; ++other) {
    if (other == rank) continue;
    const int first = first_row_of(matrix.order, other, ranks);
    const int rows = first_row_of(matrix.order, other + 1, ranks) - first;
    MPI_Irecv(&whole[first], rows, MPI_DOUBLE, other, SEGMENT_TAG, MPI_COMM_WORLD, &requests[used++]);
    MPI_Isend(&whole[matrix.first_row], matrix.rows, MPI_DOUBLE, other, SEGMENT_TAG, MPI_COMM_WORLD, &requests[used++]);
  }
  MPI_Waitall(used, requests, MPI_STATUSES_IGNORE);
}

static double dot(const double* a, const double* b) {
  double sum = 0;
  for (int row = 0; row < matrix.rows; ++row) sum += a[row] * b[row];
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

/* ---- The conjugate gradient method ---- */

/* Solves A z = x approximately; returns the norm of x - A z. */
static double solve(void) {
  double* p = &whole[matrix.first_row];
  for (int row = 0; row < matrix.order; ++row) whole[row] = 0;
  for (int row = 0; row < matrix.rows; ++row) {
    q[row] = z[row] = 0;
    r[row] = x[row];
  }
  for (int row = 0; row < matrix.rows; ++row) p[row] = r[row];
  double rho = dot(r, r);
  for (int iteration = 0; iteration < SOLVER_ITERATIONS; ++iteration) {
    exchange_segments();
    multiply(&matrix, whole, q);
    const double alpha = rho / dot(p, q);
    for (int row = 0; row < matrix.rows; ++row) {
      z[row] += alpha * p[row];
      r[row] -= alpha * q[row];
    }
    const double previous = rho;
    rho = dot(r, r);
    const double beta = rho / previous;
    for (int row = 0; row < matrix.rows; ++row) p[row] = r[row] + beta * p[row];
  }

  memcpy(p, z, (size_t)matrix.rows * sizeof *p);
  exchange_segments();
  multiply(&matrix, whole, q);
  for (int row = 0; row < matrix.rows; ++row) r[row] = x[row] - q[row];
  return sqrt(dot(r, r));
}

/* ---- The inverse iteration ---- */

static void make_vectors(void) {
  const size_t rows = (size_t)matrix.rows;
  x = allocate(rows, sizeof(double));
  z = allocate(rows, sizeof(double));
  q = allocate(rows, sizeof(double));
  r = allocate(rows, sizeof(double));
  whole = allocate((size_t)matrix.order, sizeof(double));
  for (size_t row = 0; row < rows; ++row) x[row] = 1;
}

static void release_vectors(void) {
  free(x);
  free(z);
  free(q);
  free(r);
  free(whole);
}

/* One step: a better x from x. Returns the estimate of the eigenvalue. */
static double improve(double shift, double* residual) {
  *residual = solve();
  const double zeta = shift + 1 / dot(x, z);
  const double norm = sqrt(dot(z, z));
  for (int row = 0; row < matrix.rows; ++row) x[row] = z[row] / norm;
  return zeta;
}

/* All iterations of the benchmark, the `repetition`-th time. Returns zeta. */
static double iterate(const struct options* options, long repetition) {
  const struct problem* problem = options->problem;
  make_vectors();
  double zeta = NAN;
  for (int iteration = 0; iteration < problem->iterations; ++iteration) {
    hold_at(&options->hold, rank, repetition * problem->iterations + iteration);
    double residual;
    zeta = improve(problem->shift, &residual);
    if (rank == 0 && !options->quiet) {
      printf("%5d %20.14e %20.13f\n", iteration + 1, residual, zeta);
      fflush(stdout);
    }
  }

  release_vectors();
  return zeta;
}

/* ---- The program ---- */

/* Rank 0 tells the result. Returns the exit status. */
static int tell(const struct problem* problem, double zeta, long different) {
  const bool right = fabs(zeta - problem->zeta) <= tolerance && different == 0;
  if (rank == 0) {
    uint64_t bits;
    memcpy(&bits, &zeta, sizeof bits);
    printf("cg: zeta %.13f bits %016" PRIx64 "\n", zeta, bits);
    if (different > 0) printf("cg: %ld repetitions ended with another zeta than the first\n", different);
    if (right) printf("cg: ok\n");
    if (!right) printf("cg: WRONG, zeta of class %s is %.13f\n", problem->name, problem->zeta);
  }
  return right ? 0 : 1;
}

static const struct problem* find_problem(const char* name) {
  for (size_t i = 0; i < sizeof problems / sizeof *problems; ++i) {
    if (strcmp(problems[i].name, name) == 0) return &problems[i];
  }
  return NULL;
}

static void parse_options(int argc, char** argv, struct options* options) {
  const struct setting settings[] = {
      {"repeat", .number = &options->repeat, .least = 1, .most = 1000000000},
      {"quiet", .flag = &options->quiet},
      {"hold", .text = &options->hold.file},
      {"hold-at", .list = &options->hold.steps},
  };
  *options = (struct options){.repeat = 1};
  const int operand = parse(argc, argv, settings, sizeof settings / sizeof *settings, &options->usage);
  if (operand != argc - 1) {
    wrong_usage(&options->usage, "exactly one class is wanted: S, W, A or B");
    return;
  }
  options->problem = find_problem(argv[operand]);
  if (options->problem == NULL) wrong_usage(&options->usage, "'%s' is no class: S, W, A or B", argv[operand]);
}

/* All repetitions. Returns the exit status. */
static int benchmark(const struct options* options) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  make_matrix(&matrix, options->problem, rank, ranks);
  double zeta = NAN;
  long different = 0;
  for (long repetition = 0; repetition < options->repeat; ++repetition) {
    const double found = iterate(options, repetition);
    if (repetition == 0) zeta = found;
    different += memcmp(&found, &zeta, sizeof zeta) != 0;
  }
  const int status = tell(options->problem, zeta, different);
  release_matrix(&matrix);
  return status;
}

int main(int argc, char** argv) {
  struct options options;
  parse_options(argc, argv, &options);
  MPI_Init(&argc, &argv);
  const int status = ends_here(&options.usage) ? explain(&options.usage, "cg", help) : benchmark(&options);
  MPI_Finalize();
  return status;
}
