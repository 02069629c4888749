/* The "embarrassingly parallel" kernel of the NAS Parallel Benchmarks, after its specification (NAS report RNR-94-007):
 * pairs of Gaussian deviates by the polar method, their sums, and how many of them fall into each square annulus. The
 * ranks work on batches of random numbers in turn and add up their results at the end.
 *
 * A time step is one round: a batch for every rank that has one left.
 * Live at its start: the options; rank and number of ranks; the numbers of the repetition and of the round; this
 * repetition's tally so far; the first repetition's tally and how many others differed (in later repetitions).
 * Not live: the batch of random numbers, filled anew in every round. */
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nas.h"
#include "result.h"

enum { BATCH_PAIRS = 1 << 16, ANNULI = 10 };

static const char help[] = NAS_HELP("ep", "embarrassingly parallel", "round");

static const uint64_t seed = 271828183;
static const double tolerance = 1e-8;

struct problem {
  int log_pairs; /* base 2 */
  double sum_x, sum_y;
};
static const struct problem problems[NAS_CLASSES] = {
    [CLASS_S] = {24, -3.247834652034740e+3, -6.958407078382297e+3},
    [CLASS_W] = {25, -2.863319731645753e+3, -6.320053679109499e+3},
    [CLASS_A] = {28, -4.295875165629892e+3, -1.580732573678431e+4},
};

struct tally {
  double sum_x, sum_y;
  double counts[ANNULI];
};

/* Adds the deviates that a batch of uniform numbers yields. */
static void add_deviates(const double* numbers, struct tally* tally) {
  for (int i = 0; i < BATCH_PAIRS; ++i) {
    const double x = 2 * numbers[2 * i] - 1;
    const double y = 2 * numbers[2 * i + 1] - 1;
    const double square = x * x + y * y;
    if (square > 1) continue;
    const double factor = sqrt(-2 * log(square) / square);
    const double gauss_x = x * factor;
    const double gauss_y = y * factor;
    ++tally->counts[(int)fmax(fabs(gauss_x), fabs(gauss_y))];
    tally->sum_x += gauss_x;
    tally->sum_y += gauss_y;
  }
}

static void do_batch(long batch, double* numbers, struct tally* tally) {
  uint64_t state = nas_skip(seed, (uint64_t)batch * 2 * BATCH_PAIRS);
  nas_fill(numbers, (size_t)2 * BATCH_PAIRS, &state);
  add_deviates(numbers, tally);
}

/* The sums and counts of all ranks. */
static struct tally total(const struct tally* own) {
  struct tally all;
  MPI_Allreduce(&own->sum_x, &all.sum_x, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&own->sum_y, &all.sum_y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(own->counts, all.counts, ANNULI, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/* All batches, the `repetition`-th time. Every rank makes the same number of rounds, even if its last one is idle. */
static struct tally run(const struct nas_options* options, double* numbers, long repetition) {
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const long batches = (1L << problems[options->problem_class].log_pairs) / BATCH_PAIRS;
  const long rounds = (batches + ranks - 1) / ranks;

  struct tally own = {.sum_x = 0};
  for (long round = 0; round < rounds; ++round) {
    hold_at(&options->hold, rank, repetition * rounds + round);
    const long batch = round * ranks + rank;
    if (batch < batches) do_batch(batch, numbers, &own);
  }
  return total(&own);
}

static int judge(enum nas_class problem_class, const struct tally* tally, long different) {
  const struct problem* problem = &problems[problem_class];
  uint64_t digest = digest_doubles(DIGEST_START, &tally->sum_x, 1);
  digest = digest_doubles(digest, &tally->sum_y, 1);
  digest = digest_doubles(digest, tally->counts, ANNULI);

  const double error_x = fabs(tally->sum_x / problem->sum_x - 1);
  const double error_y = fabs(tally->sum_y / problem->sum_y - 1);
  const bool right = error_x <= tolerance && error_y <= tolerance && different == 0;
  return tell("ep", digest, right,
              "the sums are %.15e %.15e, of class %s they are %.15e %.15e; %ld repetitions ended differently",
              tally->sum_x, tally->sum_y, nas_class_name(problem_class), problem->sum_x, problem->sum_y, different);
}

/* All repetitions. Returns the exit status. */
static int benchmark(const struct nas_options* options) {
  double* numbers = malloc((size_t)2 * BATCH_PAIRS * sizeof *numbers);
  if (numbers == NULL) {
    fprintf(stderr, "ep: no memory for a batch of %d pairs\n", BATCH_PAIRS);
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }
  struct tally first = {.sum_x = 0};
  long different = 0;
  for (long repetition = 0; repetition < options->repeat; ++repetition) {
    const struct tally found = run(options, numbers, repetition);
    if (repetition == 0) {
      first = found;
    } else if (memcmp(&found, &first, sizeof first) != 0) {
      ++different;
    }
  }
  free(numbers);
  return judge(options->problem_class, &first, different);
}

int main(int argc, char** argv) {
  struct nas_options options;
  nas_parse(argc, argv, &options);
  MPI_Init(&argc, &argv);
  const int status = ends_here(&options.usage) ? explain(&options.usage, "ep", help) : benchmark(&options);
  MPI_Finalize();
  return status;
}
