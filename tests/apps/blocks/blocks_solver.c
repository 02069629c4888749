#include "blocks_solver.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { SWEEPS = 2, COARSEST_SWEEPS = 12, MOST_CYCLES = 60 };
static const double tolerance = 1e-11;

struct smoother {
  const char* name;
  enum { JACOBI, RED_BLACK } kind;
  double weight;
};
static const struct smoother smoothers[] = {{"jacobi", JACOBI, 0.8}, {"red-black", RED_BLACK, 1.0}};

static const struct smoother* smoother = &smoothers[RED_BLACK];
static long cycles;

bool choose_smoother(const char* name) {
  for (size_t i = 0; i < sizeof smoothers / sizeof *smoothers; ++i) {
    if (strcmp(smoothers[i].name, name) != 0) continue;
    smoother = &smoothers[i];
    return true;
  }
  return false;
}

long count_cycles(void) { return cycles; }

/* ---- Smoothing ---- */

/* The value that satisfies the equation of cell i, j, given those around it. */
static double balanced(const struct field* field, const struct field* right, double diffusion, int i, int j) {
  double** row = field->row;
  const double around = (row[i - 1][j] + row[i + 1][j]) + (row[i][j - 1] + row[i][j + 1]);
  return (right->row[i][j] + diffusion * around) / (1 + 4 * diffusion);
}

/* Every cell from the old values of those around it; of these, the rows above and here are kept in `old`. */
static void sweep_jacobi(struct field* field, const struct field* right, double diffusion) {
  const int columns = field->inner.columns;
  double old[2][columns + 2];
  memcpy(old[0], field->row[0], sizeof old[0]);
  for (int i = 1; i <= field->inner.rows; ++i) {
    double* here = field->row[i];
    double* above = old[(i + 1) % 2];
    double* kept = old[i % 2];
    memcpy(kept, here, sizeof old[0]);
    for (int j = 1; j <= columns; ++j) {
      const double around = (above[j] + field->row[i + 1][j]) + (kept[j - 1] + kept[j + 1]);
      const double value = (right->row[i][j] + diffusion * around) / (1 + 4 * diffusion);
      here[j] = kept[j] + smoother->weight * (value - kept[j]);
    }
  }
}

/* The cells of one colour, from those of the other. */
static void sweep_colour(struct field* field, const struct field* right, double diffusion, int colour) {
  for (int i = 1; i <= field->inner.rows; ++i) {
    for (int j = 1 + (i + colour) % 2; j <= field->inner.columns; j += 2) {
      field->row[i][j] = balanced(field, right, diffusion, i, j);
    }
  }
}

/* Leaves the rim out of date. Blocks have odd sizes on the coarsest level at most, where colours may meet their like at
 * the edges: that slows down the convergence a little, and nothing else. */
static void smooth(struct field* field, const struct field* right, double diffusion, int sweeps) {
  while (sweeps-- > 0) {
    exchange_rim(field);
    switch (smoother->kind) {
      case JACOBI:
        sweep_jacobi(field, right, diffusion);
        break;
      case RED_BLACK:
        sweep_colour(field, right, diffusion, 0);
        exchange_rim(field);
        sweep_colour(field, right, diffusion, 1);
        break;
    }
  }
}

/* ---- Multigrid ---- */

static double residual_at(const struct field* field, const struct field* right, double diffusion, int i, int j) {
  return (balanced(field, right, diffusion, i, j) - field->row[i][j]) * (1 + 4 * diffusion);
}

/* The largest residual anywhere. */
static double largest_residual(struct field* field, const struct field* right, double diffusion) {
  double largest = 0;
  exchange_rim(field);
  for (int i = 1; i <= field->inner.rows; ++i) {
    for (int j = 1; j <= field->inner.columns; ++j) {
      largest = fmax(largest, fabs(residual_at(field, right, diffusion, i, j)));
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, layout()->grid);
  return largest;
}

/* The means of the residual over 2 x 2 cells. */
static void restrict_residual(struct field* field, const struct field* right, double diffusion, struct field* coarse) {
  exchange_rim(field);
  for (int i = 1; i <= coarse->inner.rows; ++i) {
    for (int j = 1; j <= coarse->inner.columns; ++j) {
      double sum = 0;
      for (int k = 0; k < 4; ++k) sum += residual_at(field, right, diffusion, 2 * i - k / 2, 2 * j - k % 2);
      coarse->row[i][j] = sum / 4;
    }
  }
}

static void add_correction(struct field* field, const struct field* coarse) {
  for (int i = 1; i <= field->inner.rows; ++i) {
    for (int j = 1; j <= field->inner.columns; ++j) field->row[i][j] += coarse->row[(i + 1) / 2][(j + 1) / 2];
  }
}

/* One V-cycle from this level down. */
static void cycle(struct field* field, const struct field* right, double diffusion) {
  const int rows = field->inner.rows, columns = field->inner.columns;
  if (rows % 2 != 0 || columns % 2 != 0) {
    smooth(field, right, diffusion, COARSEST_SWEEPS);
    return;
  }
  smooth(field, right, diffusion, SWEEPS);
  struct field coarse_right = make_field(rows / 2, columns / 2);
  struct field correction = make_field(rows / 2, columns / 2);
  restrict_residual(field, right, diffusion, &coarse_right);
  cycle(&correction, &coarse_right, diffusion / 4);
  add_correction(field, &correction);
  release_field(&correction);
  release_field(&coarse_right);
  smooth(field, right, diffusion, SWEEPS);
}

bool step_implicitly(struct field* field, double diffusion) {
  struct field right = make_field(field->inner.rows, field->inner.columns);
  copy_field(&right, field);
  bool converged = false;
  for (int i = 0; i < MOST_CYCLES && !converged; ++i) {
    cycle(field, &right, diffusion);
    ++cycles;
    converged = largest_residual(field, &right, diffusion) <= tolerance;
  }
  release_field(&right);
  return converged;
}
