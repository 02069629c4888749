/* A 2-D heat solver that checks itself. plate.c has the plate: how it is cut, what a step does to it, and its checks.
 *
 * A time step exchanges the edges of the parts and computes the next grid from the present one.
 * Live at its start: the options; when the work began; the number of the step; the block and its communicator; the
 * present grid.
 * Not live: the next grid, computed anew in each step; the columns on their way in block.packed. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "hold.h"
#include "options.h"
#include "plate.h"

enum { CHANGE_EVERY = 100, LOOK_EVERY = 10, MAX_SIZE = 1000000, MAX_MEGABYTES = 100000 };

static const char help[] =
    "Usage: heat [--size N | --mb M] [--steps S | --until FILE] [--pause-us U] [--quiet] [--report FILE]\n"
    "            [--hold FILE --hold-at K]\n"
    "Cools a plate of N x N points for S steps and checks the result.\n"
    "  --size N       points per side (256)\n"
    "  --mb M         instead: as many points as make M million bytes of state per rank\n"
    "  --steps S      time steps (1000)\n"
    "  --until FILE   instead: go on until FILE exists; prints the number of steps\n"
    "  --pause-us U   sleep U microseconds in every step\n"
    "  --quiet        print the result only\n"
    "  --report FILE  write the result to FILE as JSON as well\n"
    "  --hold FILE    at step K (--hold-at K, or several, as 3,7) wait until FILE exists, and remove it\n"
    "Exit status: 0 right, 1 wrong, 2 wrong usage.\n"
    "Examples:\n"
    "  mpirun -n 4 heat --size 1000 --steps 5000\n"
    "  mpirun -n 2 heat --mb 64 --steps 2000\n";

struct options {
  struct usage usage;
  long size, megabytes, steps, pause_us;
  bool quiet;
  const char *report, *until;
  struct hold hold;
};

/* ---- The time loop ---- */

static void print_progress(long steps, double change) {
  printf("step %ld: largest change %.6e\n", steps, change);
  fflush(stdout);
}

static void sleep_us(long microseconds) {
  const struct timespec time = {.tv_sec = microseconds / 1000000, .tv_nsec = microseconds % 1000000 * 1000};
  if (microseconds > 0) nanosleep(&time, NULL);
}

/* Whether the file that ends the run is there, or going on would leave nothing to check; the same on all ranks. */
static bool told_to_stop(const struct block* block, const struct options* options, long step) {
  if ((double)step >= checkable_steps(block->size)) return true;
  if (step % LOOK_EVERY != 0) return false;
  int there = block->rank == 0 && access(options->until, F_OK) == 0;
  MPI_Bcast(&there, 1, MPI_INT, 0, block->grid);
  return there != 0;
}

/* Cools the plate that is in the grid `now`. Consumes it, returns the final one and tells how many steps that took. */
static double* cool(const struct block* block, const struct options* options, double* now, long* steps) {
  double* next = make_grid(block);
  long step = 0;
  for (; step < options->steps || options->until != NULL; ++step) {
    if (options->until != NULL && told_to_stop(block, options, step)) break;
    hold_at(&options->hold, block->rank, step);
    exchange_halo(block, now);
    relax(block, now, next);
    if ((step + 1) % CHANGE_EVERY == 0) {
      const double change = largest_change(block, now, next);
      if (block->rank == 0 && !options->quiet) print_progress(step + 1, change);
    }
    double* const previous = now;
    now = next;
    next = previous;
    sleep_us(options->pause_us);
  }

  free(next);
  *steps = step;
  return now;
}

/* ---- The result ---- */

static void write_report(FILE* file, const struct block* block, long steps, struct result result, double seconds) {
  int ranks;
  MPI_Comm_size(block->grid, &ranks);
  fprintf(file, "{\"program\":\"heat\",\"ranks\":%d,\"size\":%d,\"steps\":%ld,", ranks, block->size, steps);
  fprintf(file, "\"checksum\":\"%016" PRIx64 "\",\"wrong\":%" PRIu64 ",\"seconds\":%.6f}\n", result.checksum,
          result.wrong, seconds);
}

/* Rank 0 tells the result. Returns the exit status. */
static int tell(const struct block* block, const struct options* options, long steps, struct result result,
                double seconds) {
  int status = result.wrong == 0 ? 0 : 1;
  if (block->rank != 0) return status;

  if (options->until != NULL) printf("heat: %ld steps\n", steps);
  printf("heat: checksum %016" PRIx64 "\n", result.checksum);
  if (result.wrong == 0) printf("heat: ok\n");
  if (result.wrong != 0) printf("heat: WRONG at %" PRIu64 " points\n", result.wrong);
  if (options->report != NULL) {
    FILE* file = fopen(options->report, "w");
    if (file != NULL) write_report(file, block, steps, result, seconds);
    if (file == NULL || fclose(file) != 0) {
      fprintf(stderr, "heat: cannot write the report %s: %s\n", options->report, strerror(errno));
      status = 1;
    }
  }
  return status;
}

/* ---- The program ---- */

static void parse_options(int argc, char** argv, struct options* options) {
  const struct setting settings[] = {
      {"size", .number = &options->size, .least = 2, .most = MAX_SIZE},
      {"mb", .number = &options->megabytes, .least = 1, .most = MAX_MEGABYTES},
      {"steps", .number = &options->steps, .least = 0, .most = LONG_MAX},
      {"pause-us", .number = &options->pause_us, .least = 0, .most = LONG_MAX},
      {"quiet", .flag = &options->quiet},
      {"report", .text = &options->report},
      {"until", .text = &options->until},
      {"hold", .text = &options->hold.file},
      {"hold-at", .list = &options->hold.steps},
  };
  *options = (struct options){.steps = 1000};
  const int operand = parse(argc, argv, settings, sizeof settings / sizeof *settings, &options->usage);
  if (operand < argc) wrong_usage(&options->usage, "'%s' is one argument too many", argv[operand]);
  if (options->size > 0 && options->megabytes > 0) wrong_usage(&options->usage, "--size and --mb exclude each other");
  if (options->size == 0) options->size = 256;
}

/* Points per side of the plate, or an error about the options, the same on every rank. */
static int plan_size(struct options* options) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  long size = options->size;
  if (options->megabytes > 0) size = lround(sqrt((double)options->megabytes * 1e6 / sizeof(double) * ranks));
  if (size < ranks) wrong_usage(&options->usage, "%ld points per side are too few for %d ranks", size, ranks);
  if ((double)options->steps > checkable_steps((int)size)) {
    wrong_usage(&options->usage, "%ld points per side cool for at most %.0f steps, then nothing is left to check", size,
                checkable_steps((int)size));
  }
  return (int)size;
}

/* Returns the exit status. */
static int run(struct options* options) {
  const int size = plan_size(options);
  if (ends_here(&options->usage)) return explain(&options->usage, "heat", help);

  struct block block;
  make_block(&block, size);
  const double began = MPI_Wtime();
  long steps = 0;
  double* const start = make_start(&block);
  double* const final = cool(&block, options, start, &steps);
  const int status = tell(&block, options, steps, examine(&block, final, steps), MPI_Wtime() - began);
  free(final);
  release_block(&block);
  return status;
}

int main(int argc, char** argv) {
  struct options options;
  parse_options(argc, argv, &options);
  MPI_Init(&argc, &argv);
  const int status = run(&options);
  MPI_Finalize();
  return status;
}
