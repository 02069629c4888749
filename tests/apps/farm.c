/* A master hands out tasks, the other ranks work on them as they come: loops of which no two ranks pass the same, and no
 * collective operation before the end. The master computes everything itself, too, and compares.
 *
 * Live at a loop's start: the options; the numbers of tasks; what each worker is working on; the sums so far. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "options.h"
#include "result.h"

enum { ROUNDS = 20000, RESULT, TASK, END };

static const char help[] =
    "Usage: farm [--steps S | --until FILE]\n"
    "Rank 0 hands out tasks, the others work on them.\n"
    "  --steps S    tasks (2000)\n"
    "  --until FILE tasks until FILE exists\n"
    "Exit status: 0 right, 1 wrong, 2 wrong usage.\n"
    "Example:\n"
    "  mpirun -n 4 farm --steps 10000\n";

struct options {
  struct usage usage;
  long steps;
  const char* until;
};

static uint64_t result_of(long task) {
  uint64_t value = DIGEST_START + (uint64_t)task;
  for (int round = 0; round < ROUNDS; ++round) value = digest_word(value, (uint64_t)round);
  return value;
}

static int goes_on(const struct options* options, long task) {
  return options->until != NULL ? access(options->until, F_OK) != 0 : task < options->steps;
}

/* Returns how many results were wrong. */
static long lead(const struct options* options, int workers, uint64_t* digest) {
  long* const given = calloc((size_t)workers + 1, sizeof *given);
  if (given == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  long task = 0, wrong = 0;
  int working = workers;
  while (working > 0) {
    uint64_t result = 0;
    MPI_Status from;
    MPI_Recv(&result, 1, MPI_UINT64_T, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, &from);
    const int worker = from.MPI_SOURCE;
    if (given[worker] > 0) {
      wrong += result != result_of(given[worker]);
      *digest += result; /* in whatever order they come */
    }
    const int more = goes_on(options, task);
    given[worker] = more ? ++task : 0;
    working -= !more;
    MPI_Send(&given[worker], 1, MPI_LONG, worker, more ? TASK : END, MPI_COMM_WORLD);
  }
  free(given);
  return wrong;
}

static void work(void) {
  uint64_t result = 0;
  for (;;) {
    long task = 0;
    MPI_Status from;
    MPI_Send(&result, 1, MPI_UINT64_T, 0, RESULT, MPI_COMM_WORLD);
    MPI_Recv(&task, 1, MPI_LONG, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &from);
    if (from.MPI_TAG == END) return;
    result = result_of(task);
  }
}

static int hand_out(const struct options* options) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  uint64_t digest = DIGEST_START;
  long wrong = 0;
  if (rank == 0)
    wrong = lead(options, ranks - 1, &digest);
  else
    work();
  MPI_Bcast(&wrong, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  return tell("farm", digest, wrong == 0, "%ld results", wrong);
}

static void parse_options(int argc, char** argv, struct options* options) {
  const struct setting settings[] = {
      {"steps", .number = &options->steps, .least = 0, .most = 1000000000},
      {"until", .text = &options->until},
  };
  *options = (struct options){.steps = 2000};
  const int operand = parse(argc, argv, settings, sizeof settings / sizeof *settings, &options->usage);
  if (operand < argc) wrong_usage(&options->usage, "'%s' is one argument too many", argv[operand]);
}

int main(int argc, char** argv) {
  struct options options;
  parse_options(argc, argv, &options);
  MPI_Init(&argc, &argv);
  const int status = ends_here(&options.usage) ? explain(&options.usage, "farm", help) : hand_out(&options);
  MPI_Finalize();
  return status;
}
