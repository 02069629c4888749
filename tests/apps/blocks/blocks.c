/* Heat on a periodic square by implicit steps, in several files with state of their own: recursion, row and column
 * communicators, variable-length arrays and pointers to the stack and to globals. The square starts with a mean
 * temperature and one wave on it; its amplitude after every step is known exactly, and so is its sum over all steps.
 * That sum is made pairwise, so that rounding errors grow with the logarithm of the number of steps: the time steps are
 * the recursion's ends.
 *
 * Live at the start of a time step: the options; of each call of sum_amplitudes() on the way the first step and the
 * number of steps, and, of those in their second half, the sum of the first; in the innermost one the step and the sum
 * so far; the diffusion, and whether a step failed; the temperatures' inner cells; the array of the rows' heat, a
 * variable-length array of simulate(), and the pointer to it in blocks_stats.c; there too the last mean and whether
 * there was one; in blocks_solver.c the pointer to the smoother and the number of cycles; the layout with its three
 * communicators. Not live: the temperatures' rim, exchanged before each use, though it shares its rows with the inner
 * cells; all other fields and arrays exist within a step only. */
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>

#include "../hold.h"
#include "../options.h"
#include "../result.h"
#include "blocks_grid.h"
#include "blocks_solver.h"
#include "blocks_stats.h"

enum { PAIRWISE_FROM = 8, MAX_SIZE = 20000 };

static const char help[] =
    "Usage: blocks [--size N] [--steps S] [--smoother NAME] [--hold FILE --hold-at K]\n"
    "Spreads heat on a periodic square of N x N cells by implicit steps and checks the result.\n"
    "  --size N         cells per side, for each rank an even number (64)\n"
    "  --steps S        time steps (40)\n"
    "  --smoother NAME  jacobi or red-black (red-black)\n"
    "  --hold FILE      at step K (--hold-at K, or several, as 3,7) wait until FILE exists, and remove it\n"
    "Exit status: 0 right, 1 wrong, 2 wrong usage.\n"
    "Examples:\n"
    "  mpirun -n 4 blocks --size 96 --steps 100\n"
    "  mpirun -n 2 blocks --smoother jacobi\n";

static const double two_pi = 6.283185307179586;
static const double mean_temperature = 20;
static const double start_amplitude = 5;
static const double decay = 0.97; /* of the amplitude in a step */
static const double tolerance = 1e-9;

struct options {
  struct usage usage;
  const char* smoother;
  long size, steps;
  struct hold hold;
};

struct simulation {
  const struct options* options;
  struct field temperature;
  double diffusion; /* time step / (cell size)^2 */
  bool failed;      /* no convergence, or heat was lost */
};

/* Fills in the wave, and the diffusion that makes it decay as wanted: it is an eigenvector of the discrete equation. */
static void make_start(struct simulation* simulation) {
  const struct layout* where = layout();
  const int size = (int)simulation->options->size;
  const int rows = size / where->blocks[0], columns = size / where->blocks[1];
  simulation->temperature = make_field(rows, columns);
  for (int i = 0; i < rows; ++i) {
    const double height = start_amplitude * cos(two_pi * (where->position[0] * rows + i + 0.5) / size);
    for (int j = 0; j < columns; ++j) {
      const double wave = height * cos(two_pi * (where->position[1] * columns + j + 0.5) / size);
      simulation->temperature.row[i + 1][j + 1] = mean_temperature + wave;
    }
  }
  simulation->diffusion = (1 / decay - 1) / (4 - 4 * cos(two_pi / size));
  simulation->failed = false;
}

/* One step. Returns the amplitude after it. */
static double advance(struct simulation* simulation) {
  if (!step_implicitly(&simulation->temperature, simulation->diffusion)) simulation->failed = true;
  if (!watch(&simulation->temperature)) simulation->failed = true;
  return amplitude(&simulation->temperature, (int)simulation->options->size);
}

/* Takes `steps` steps from the `first` on and returns the sum of the amplitudes. */
static double sum_amplitudes(struct simulation* simulation, long first, long steps) {
  if (steps > PAIRWISE_FROM) {
    const long half = steps / 2;
    const double sum = sum_amplitudes(simulation, first, half);
    return sum + sum_amplitudes(simulation, first + half, steps - half);
  }
  double sum = 0;
  for (long step = first; step < first + steps; ++step) {
    hold_at(&simulation->options->hold, layout()->rank, step);
    sum += advance(simulation);
  }
  return sum;
}

/* How far the rows' heat and the amplitudes are from what they should be, at most of all ranks. */
static double largest_error(const struct simulation* simulation, const double* row_heat, int rows, double sum) {
  const double steps = (double)simulation->options->steps;
  double errors[3] = {0};
  for (int i = 0; i < rows; ++i) errors[0] = fmax(errors[0], fabs(row_heat[i] / steps - mean_temperature));
  const double remaining = pow(decay, steps);
  errors[1] = fabs(amplitude(&simulation->temperature, (int)simulation->options->size) - start_amplitude * remaining);
  errors[2] = fabs(sum / (start_amplitude * decay * (1 - remaining) / (1 - decay)) - 1);
  double largest = simulation->failed ? INFINITY : 0;
  for (int i = 0; i < 3; ++i) largest = fmax(largest, isnan(errors[i]) ? INFINITY : errors[i]);
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return largest;
}

static uint64_t digest_all(const struct simulation* simulation, const double* row_heat, int rows, double sum) {
  uint64_t digest = digest_doubles(DIGEST_START, &sum, 1);
  digest = digest_word(digest, (uint64_t)count_cycles());
  digest = digest_doubles(digest, row_heat, (size_t)rows);
  const struct field* field = &simulation->temperature;
  for (int i = 1; i <= field->inner.rows; ++i) {
    digest = digest_doubles(digest, &field->row[i][1], (size_t)field->inner.columns);
  }
  return digest_ranks(digest, layout()->grid);
}

/* Returns the exit status. */
static int simulate(const struct options* options) {
  struct simulation simulation = {.options = options};
  make_start(&simulation);
  const int rows = simulation.temperature.inner.rows;
  double row_heat[rows];
  watch_rows(row_heat, rows);

  const double sum = sum_amplitudes(&simulation, 0, options->steps);

  const double error = largest_error(&simulation, row_heat, rows, sum);
  const uint64_t digest = digest_all(&simulation, row_heat, rows, sum);
  release_field(&simulation.temperature);
  return tell("blocks", digest, error <= tolerance, "an error of %.3e is more than %.0e", error, tolerance);
}

static void parse_options(int argc, char** argv, struct options* options) {
  const struct setting settings[] = {
      {"size", .number = &options->size, .least = 2, .most = MAX_SIZE},
      {"steps", .number = &options->steps, .least = 1, .most = 1000000000},
      {"smoother", .text = &options->smoother},
      {"hold", .text = &options->hold.file},
      {"hold-at", .list = &options->hold.steps},
  };
  *options = (struct options){.size = 64, .steps = 40, .smoother = "red-black"};
  const int operand = parse(argc, argv, settings, sizeof settings / sizeof *settings, &options->usage);
  if (operand < argc) wrong_usage(&options->usage, "'%s' is one argument too many", argv[operand]);
  if (!choose_smoother(options->smoother)) {
    wrong_usage(&options->usage, "--smoother wants jacobi or red-black, not '%s'", options->smoother);
  }
}

int main(int argc, char** argv) {
  struct options options;
  parse_options(argc, argv, &options);
  MPI_Init(&argc, &argv);
  if (!ends_here(&options.usage) && !enter_grid((int)options.size)) {
    wrong_usage(&options.usage, "%ld cells per side cannot be cut into equal blocks of even size", options.size);
  }
  int status;
  if (ends_here(&options.usage)) {
    status = explain(&options.usage, "blocks", help);
  } else {
    status = simulate(&options);
    leave_grid();
  }
  MPI_Finalize();
  return status;
}
