/* The multigrid kernel of the NAS Parallel Benchmarks, after its specification (NAS report RNR-94-007): V-cycles that
 * solve a discrete Poisson problem, A u = v, on a periodic cube; the official norm of the residual tells whether the
 * result is right.
 *
 * The cube is cut into equal blocks among the ranks, a power of two of them. Level k has 2^k points per side; each
 * block is surrounded by one layer of its neighbours' points.
 *
 * A time step is one iteration: the residual of u, and a V-cycle that improves u.
 * Live at its start: the options; the process's place and neighbours, the levels and their sizes; the numbers of the
 * repetition and of the iteration; u and v; the first repetition's digest and norm and how many others differed.
 * Not live: r, filled anew in each iteration; the residuals and corrections of the coarse levels, which exist within a
 * cycle only. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "mg_levels.h"
#include "nas.h"
#include "result.h"

enum { CHARGES = 10 };

static const char help[] = NAS_HELP("mg", "multigrid", "iteration");

static const uint64_t seed = 314159265;
static const double tolerance = 1e-8;

struct problem {
  int levels; /* the finest one has 2^levels points per side */
  int iterations;
  double norm;
};
static const struct problem problems[NAS_CLASSES] = {
    [CLASS_S] = {5, 4, 0.5307707005734e-04},
    [CLASS_W] = {7, 4, 0.6467329375339e-05},
    [CLASS_A] = {8, 4, 0.2433365309069e-05},
};

/* Weights of a point, of its 6 neighbours by faces, 12 by edges and 8 by corners. */
struct stencil {
  double centre, face, edge, corner;
};
static const struct stencil minus_operator = {8.0 / 3, 0, -1.0 / 6, -1.0 / 12};
static const struct stencil smoother = {-3.0 / 8, 1.0 / 32, -1.0 / 64, 0};
static const struct stencil averaging = {1.0 / 2, 1.0 / 4, 1.0 / 8, 1.0 / 16};

static int finest;
static struct level levels[MAX_LEVELS + 1]; /* from 1 to `finest` */
static double *u, *v, *r;                   /* of the finest level; r is v - A u */

static void make_fields(int count) {
  finest = count;
  for (int k = 1; k <= finest; ++k) levels[k] = make_level(k);
  u = allocate(levels[finest].points);
  v = allocate(levels[finest].points);
  r = allocate(levels[finest].points);
}

static void release_fields(void) {
  free(u);
  free(v);
  free(r);
}

static void zero(const struct level* level, double* values) {
  for (size_t i = 0; i < level->points; ++i) values[i] = 0;
}

/* ---- The V-cycle ---- */

/* The sums of the four neighbours of each point of a row in its plane z, y: beside it, and across. */
static void add_rows(const struct level* level, const double* row, double* beside, double* across) {
  const size_t up = level->stride[Z], north = level->stride[Y];
  for (int x = 0; x < level->size[X] + 2; ++x) {
    const double* at = row + x;
    beside[x] = (at[-(long)up] + at[up]) + (at[-(long)north] + at[north]);
    across[x] = (at[-(long)(up + north)] + at[up + north]) + (at[-(long)(up - north)] + at[up - north]);
  }
}

/* The stencil's value at point x of a row, given the sums around it. */
static double weigh(const struct stencil* stencil, const double* row, const double* beside, const double* across,
                    int x) {
  const double face = (row[x - 1] + row[x + 1]) + beside[x];
  const double edge = (beside[x - 1] + beside[x + 1]) + across[x];
  const double corner = across[x - 1] + across[x + 1];
  return (stencil->centre * row[x] + stencil->face * face) + (stencil->edge * edge + stencil->corner * corner);
}

/* Adds the stencil of `from` to `to`. */
static void add_stencil(const struct level* level, const struct stencil* stencil, const double* from, double* to) {
  double beside[level->size[X] + 2], across[level->size[X] + 2];
  for (int z = 1; z <= level->size[Z]; ++z) {
    for (int y = 1; y <= level->size[Y]; ++y) {
      const double* row = from + row_at(level, z, y);
      double* sum = to + row_at(level, z, y);
      add_rows(level, row, beside, across);
      for (int x = 1; x <= level->size[X]; ++x) sum[x] += weigh(stencil, row, beside, across, x);
    }
  }
  exchange(level, to);
}

/* Averages a fine field around every other point. */
static void coarsen(const struct level* fine, const double* from, const struct level* coarse, double* to) {
  double beside[fine->size[X] + 2], across[fine->size[X] + 2];
  for (int z = 1; z <= coarse->size[Z]; ++z) {
    for (int y = 1; y <= coarse->size[Y]; ++y) {
      const double* row = from + row_at(fine, 2 * z, 2 * y);
      double* mean = to + row_at(coarse, z, y);
      add_rows(fine, row, beside, across);
      for (int x = 1; x <= coarse->size[X]; ++x) mean[x] = weigh(&averaging, row, beside, across, 2 * x);
    }
  }
  exchange(coarse, to);
}

/* Adds a coarse field, interpolated, to a fine one: points with even numbers are in both. */
static void add_interpolated(const struct level* coarse, const double* from, const struct level* fine, double* to) {
  double line[coarse->size[X] + 2];
  for (int z = 1; z <= fine->size[Z]; ++z) {
    for (int y = 1; y <= fine->size[Y]; ++y) {
      const double* rows[4] = {from + row_at(coarse, z / 2, y / 2), from + row_at(coarse, z / 2, (y + 1) / 2),
                               from + row_at(coarse, (z + 1) / 2, y / 2),
                               from + row_at(coarse, (z + 1) / 2, (y + 1) / 2)};
      for (int x = 0; x < coarse->size[X] + 2; ++x) {
        line[x] = ((rows[0][x] + rows[1][x]) + (rows[2][x] + rows[3][x])) / 4;
      }
      double* sum = to + row_at(fine, z, y);
      for (int x = 1; x <= coarse->size[X]; ++x) {
        sum[2 * x - 1] += (line[x - 1] + line[x]) / 2;
        sum[2 * x] += line[x];
      }
    }
  }
  exchange(fine, to);
}

/* Sets r to v - A u. */
static void compute_residual(void) {
  for (size_t i = 0; i < levels[finest].points; ++i) r[i] = v[i];
  add_stencil(&levels[finest], &minus_operator, u, r);
}

/* Finds corrections for the coarse levels, given r: residuals on the way down, and corrections on the way up. */
static void correct(double** residual, double** correction) {
  residual[finest] = r;
  for (int k = finest - 1; k >= 1; --k) coarsen(&levels[k + 1], residual[k + 1], &levels[k], residual[k]);
  for (int k = 1; k < finest; ++k) {
    zero(&levels[k], correction[k]);
    if (k > 1) {
      add_interpolated(&levels[k - 1], correction[k - 1], &levels[k], correction[k]);
      add_stencil(&levels[k], &minus_operator, correction[k], residual[k]);
    }
    add_stencil(&levels[k], &smoother, residual[k], correction[k]);
  }
}

/* Improves u, given r. The fields of the coarse levels exist within a cycle only. */
static void cycle(void) {
  double *residual[MAX_LEVELS + 1], *correction[MAX_LEVELS + 1];
  for (int k = 1; k < finest; ++k) {
    residual[k] = allocate(levels[k].points);
    correction[k] = allocate(levels[k].points);
  }
  correct(residual, correction);
  add_interpolated(&levels[finest - 1], correction[finest - 1], &levels[finest], u);
  compute_residual();
  add_stencil(&levels[finest], &smoother, r, u);
  for (int k = 1; k < finest; ++k) {
    free(residual[k]);
    free(correction[k]);
  }
}

/* ---- The right-hand side ---- */

struct candidate {
  double value;
  double number; /* of the point in the cube */
};

/* Puts a candidate among the best ones, which are sorted, largest value first. */
static void consider(struct candidate* best, struct candidate candidate) {
  if (candidate.value <= best[CHARGES - 1].value) return;
  int i = CHARGES - 1;
  for (; i > 0 && best[i - 1].value < candidate.value; --i) best[i] = best[i - 1];
  best[i] = candidate;
}

/* The best ones of all ranks, in place. */
static void merge_best(struct candidate* best) {
  int ranks;
  MPI_Comm_size(own_place()->cube, &ranks);
  struct candidate all[MAX_RANKS * CHARGES];
  MPI_Allgather(best, 2 * CHARGES, MPI_DOUBLE, all, 2 * CHARGES, MPI_DOUBLE, own_place()->cube);
  for (int i = 0; i < CHARGES; ++i) best[i].value = -INFINITY;
  for (int i = 0; i < ranks * CHARGES; ++i) consider(best, all[i]);
}

/* Finds where random numbers in the whole cube are the largest (`highest`), and the smallest. */
static void find_extremes(struct candidate* highest, struct candidate* lowest) {
  const struct place* place = own_place();
  const struct level* level = &levels[finest];
  const long side = 1L << finest;
  for (int i = 0; i < CHARGES; ++i) highest[i].value = lowest[i].value = -INFINITY;
  for (int z = 0; z < level->size[Z]; ++z) {
    for (int y = 0; y < level->size[Y]; ++y) {
      const long plane = (long)place->position[Z] * level->size[Z] + z;
      const long row = plane * side + (long)place->position[Y] * level->size[Y] + y;
      const long first = row * side + (long)place->position[X] * level->size[X];
      uint64_t state = nas_skip(seed, (uint64_t)first);
      for (int x = 0; x < level->size[X]; ++x) {
        const double value = nas_random(&state);
        consider(highest, (struct candidate){value, (double)(first + x)});
        consider(lowest, (struct candidate){-value, (double)(first + x)});
      }
    }
  }
  merge_best(highest);
  merge_best(lowest);
}

/* Sets a point of v if it is in the own block. */
static void charge(long number, double value) {
  const struct place* place = own_place();
  const struct level* level = &levels[finest];
  int index[DIRECTIONS];
  for (int d = DIRECTIONS - 1; d >= 0; --d) {
    index[d] = (int)(number % (1L << finest)) - place->position[d] * level->size[d];
    number >>= finest;
    if (index[d] < 0 || index[d] >= level->size[d]) return;
  }
  v[row_at(level, index[Z] + 1, index[Y] + 1) + (size_t)index[X] + 1] = value;
}

static void make_charges(void) {
  struct candidate highest[CHARGES], lowest[CHARGES];
  find_extremes(highest, lowest);
  zero(&levels[finest], v);
  for (int i = 0; i < CHARGES; ++i) {
    charge((long)highest[i].number, 1);
    charge((long)lowest[i].number, -1);
  }
  exchange(&levels[finest], v);
}

/* ---- The benchmark ---- */

/* The root of the mean square of the finest residual, once more computed. */
static double residual_norm(void) {
  const struct level* level = &levels[finest];
  compute_residual();
  double sum = 0;
  for (int z = 1; z <= level->size[Z]; ++z) {
    for (int y = 1; y <= level->size[Y]; ++y) {
      const double* row = r + row_at(level, z, y);
      for (int x = 1; x <= level->size[X]; ++x) sum += row[x] * row[x];
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, own_place()->cube);
  return sqrt(sum * pow(0.125, finest));
}

/* All iterations, the `repetition`-th time. */
static void run(const struct nas_options* options, long repetition) {
  const int iterations = problems[options->problem_class].iterations;
  zero(&levels[finest], u);
  for (int iteration = 0; iteration < iterations; ++iteration) {
    hold_at(&options->hold, own_place()->rank, repetition * iterations + iteration);
    compute_residual();
    cycle();
  }
}

/* All repetitions. Returns the exit status. */
static int benchmark(const struct nas_options* options) {
  const struct problem* problem = &problems[options->problem_class];
  make_place();
  make_fields(problem->levels);
  make_charges();

  double norm = 0;
  uint64_t digest = 0;
  long different = 0;
  for (long repetition = 0; repetition < options->repeat; ++repetition) {
    run(options, repetition);
    const uint64_t found = digest_doubles(DIGEST_START, u, levels[finest].points);
    if (repetition == 0) {
      digest = found;
      norm = residual_norm();
    }
    different += found != digest;
  }

  MPI_Allreduce(MPI_IN_PLACE, &different, 1, MPI_LONG, MPI_SUM, own_place()->cube);
  digest = digest_ranks(digest, own_place()->cube);
  release_fields();
  release_place();
  const bool right = fabs(norm / problem->norm - 1) <= tolerance && different == 0;
  return tell("mg", digest, right, "the norm is %.13e, of class %s it is %.13e; %ld repetitions ended differently",
              norm, nas_class_name(options->problem_class), problem->norm, different);
}

int main(int argc, char** argv) {
  struct nas_options options;
  nas_parse(argc, argv, &options);
  MPI_Init(&argc, &argv);
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > MAX_RANKS || (ranks & (ranks - 1)) != 0) {
    wrong_usage(&options.usage, "%d ranks are not 1, 2, 4 or 8", ranks);
  }
  const int status = ends_here(&options.usage) ? explain(&options.usage, "mg", help) : benchmark(&options);
  MPI_Finalize();
  return status;
}
