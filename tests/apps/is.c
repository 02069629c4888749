/* The integer sort kernel of the NAS Parallel Benchmarks, after its specification (NAS report RNR-94-007): the ranks of
 * keys in the order of their values, ten times, two keys changing in between; and at the end the sorted keys.
 *
 * Each process owns equally many keys. To rank them, the keys travel to processes that own ranges of values, cut so
 * that each gets about as many keys, where counting them gives their ranks.
 *
 * A time step is one ranking.
 * Live at its start: the options and the problem's sizes; rank and number of ranks; the numbers of the repetition and
 * of the iteration; the keys; the digest of the rankings so far, and how many test ranks were wrong; the first
 * repetition's digest and how many others differed.
 * Not live: everything in struct ranking, allocated in each ranking and freed; the counts of the buckets, zeroed,
 * and those of all ranks, received. */
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "nas.h"
#include "result.h"

enum { ITERATIONS = 10, TESTS = 5, BUCKETS = 512 };

static const char help[] = NAS_HELP("is", "integer sort", "ranking");

static const uint64_t seed = 314159265;

/* The ranks of five keys are known. With each iteration the first `rising` of them grow by one, the others shrink. */
struct problem {
  int keys, values;
  int test_places[TESTS], test_ranks[TESTS];
  int rising, rise, fall; /* by how much they are above and below test_ranks in the first iteration */
};
static const struct problem problems[NAS_CLASSES] = {
    [CLASS_S] = {1 << 16, 1 << 11, {48427, 17148, 23627, 62548, 4431}, {0, 18, 346, 64917, 65463}, 3, 1, 1},
    [CLASS_W] = {1 << 20,
                 1 << 16,
                 {357773, 934767, 875723, 898999, 404505},
                 {1249, 11698, 1039987, 1043896, 1048018},
                 2,
                 -1,
                 1},
    [CLASS_A] = {1 << 23,
                 1 << 19,
                 {2112377, 662041, 5336171, 3642833, 4250760},
                 {104, 17523, 123928, 8288932, 8388264},
                 3,
                 0,
                 0},
};

/* The process's part of the problem. */
static struct {
  const struct problem* problem;
  int rank, ranks;
  int first, count; /* of the keys, by place */
  int* keys;
} own;

static int bucket_counts[BUCKETS], all_bucket_counts[BUCKETS];

/* The keys whose values a process owns, in one iteration. */
struct ranking {
  int first_value, values; /* the range */
  int count;
  int* keys;
  int before;  /* keys of smaller values, of all ranks */
  int* counts; /* keys by value */
};

static void* xmalloc(size_t count, size_t size) {
  void* memory = malloc(count > 0 ? count * size : 1);
  if (memory == NULL) {
    fprintf(stderr, "is: no memory for %zu elements; take more ranks\n", count);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}

/* ---- The keys ---- */

static int first_place(int rank) { return (int)((long)own.problem->keys * rank / own.ranks); }

static void make_own(enum nas_class problem_class) {
  MPI_Comm_rank(MPI_COMM_WORLD, &own.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &own.ranks);
  own.problem = &problems[problem_class];
  own.first = first_place(own.rank);
  own.count = first_place(own.rank + 1) - own.first;
  own.keys = (int*)xmalloc((size_t)own.count, sizeof *own.keys);
}

/* The keys before the first iteration: each the sum of four random numbers. */
static void fill_keys(void) {
  uint64_t state = nas_skip(seed, (uint64_t)own.first * 4);
  for (int i = 0; i < own.count; ++i) {
    double sum = nas_random(&state);
    for (int k = 1; k < 4; ++k) sum += nas_random(&state);
    own.keys[i] = (int)(own.problem->values / 4 * sum);
  }
}

static void set_key(int place, int value) {
  if (place >= own.first && place < own.first + own.count) own.keys[place - own.first] = value;
}

/* ---- Ranking ---- */

static int bucket_of(int key) { return key / (own.problem->values / BUCKETS); }

/* Cuts the buckets among the ranks: rank r gets those from begin[r] to before begin[r + 1]. */
static void cut_buckets(int* begin) {
  for (int i = 0; i < BUCKETS; ++i) bucket_counts[i] = 0;
  for (int i = 0; i < own.count; ++i) ++bucket_counts[bucket_of(own.keys[i])];
  MPI_Allreduce(bucket_counts, all_bucket_counts, BUCKETS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

  int bucket = 0;
  long keys = 0;
  for (int rank = 0; rank < own.ranks; ++rank) {
    begin[rank] = bucket;
    const long share = (long)own.problem->keys * (rank + 1) / own.ranks;
    while (bucket < BUCKETS && keys + all_bucket_counts[bucket] / 2 <= share) keys += all_bucket_counts[bucket++];
  }
  begin[own.ranks] = BUCKETS;
}

/* Sends the keys to the owners of their values. */
static void exchange_keys(const int* begin, struct ranking* ranking) {
  int send_counts[own.ranks], send_places[own.ranks + 1], receive_counts[own.ranks], receive_places[own.ranks + 1];
  int bucket_places[BUCKETS];
  send_places[0] = 0;
  for (int rank = 0, place = 0; rank < own.ranks; ++rank) {
    for (int i = begin[rank]; i < begin[rank + 1]; ++i) {
      bucket_places[i] = place;
      place += bucket_counts[i];
    }
    send_counts[rank] = place - send_places[rank];
    send_places[rank + 1] = place;
  }
  int* sent = (int*)xmalloc((size_t)own.count, sizeof *sent);
  for (int i = 0; i < own.count; ++i) sent[bucket_places[bucket_of(own.keys[i])]++] = own.keys[i];

  MPI_Alltoall(send_counts, 1, MPI_INT, receive_counts, 1, MPI_INT, MPI_COMM_WORLD);
  receive_places[0] = 0;
  for (int rank = 0; rank < own.ranks; ++rank) receive_places[rank + 1] = receive_places[rank] + receive_counts[rank];
  ranking->count = receive_places[own.ranks];
  ranking->keys = (int*)xmalloc((size_t)ranking->count, sizeof *ranking->keys);
  MPI_Alltoallv(sent, send_counts, send_places, MPI_INT, ranking->keys, receive_counts, receive_places, MPI_INT,
                MPI_COMM_WORLD);
  free(sent);
}

/* How many keys have each value, and how many are smaller than the own ones. */
static void count_keys(struct ranking* ranking) {
  ranking->counts = (int*)xmalloc((size_t)ranking->values, sizeof *ranking->counts);
  for (int value = 0; value < ranking->values; ++value) ranking->counts[value] = 0;
  for (int i = 0; i < ranking->count; ++i) ++ranking->counts[ranking->keys[i] - ranking->first_value];
  int up_to_here;
  MPI_Scan(&ranking->count, &up_to_here, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  ranking->before = up_to_here - ranking->count;
}

static struct ranking rank_keys(void) {
  struct ranking ranking;
  int begin[own.ranks + 1];
  cut_buckets(begin);
  const int bucket_values = own.problem->values / BUCKETS;
  ranking.first_value = begin[own.rank] * bucket_values;
  ranking.values = (begin[own.rank + 1] - begin[own.rank]) * bucket_values;
  exchange_keys(begin, &ranking);
  count_keys(&ranking);
  return ranking;
}

static void release_ranking(struct ranking* ranking) {
  free(ranking->keys);
  free(ranking->counts);
}

/* ---- The tests ---- */

/* The number of keys that are smaller than `key`, on the process which owns that value; 0 on others. */
static int rank_of(const struct ranking* ranking, int key) {
  if (key < ranking->first_value || key >= ranking->first_value + ranking->values) return 0;
  int rank = ranking->before;
  for (int value = 0; value < key - ranking->first_value; ++value) rank += ranking->counts[value];
  return rank;
}

/* How many of the five test keys have another rank than they should. */
static int count_wrong_tests(const struct ranking* ranking, int iteration) {
  const struct problem* problem = own.problem;
  int tests[TESTS];
  for (int i = 0; i < TESTS; ++i) {
    const int place = problem->test_places[i] - own.first;
    tests[i] = place >= 0 && place < own.count ? own.keys[place] : 0;
  }
  MPI_Allreduce(MPI_IN_PLACE, tests, TESTS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < TESTS; ++i) tests[i] = rank_of(ranking, tests[i]);
  MPI_Allreduce(MPI_IN_PLACE, tests, TESTS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

  int wrong = 0;
  for (int i = 0; i < TESTS; ++i) {
    const int expected =
        problem->test_ranks[i] + (i < problem->rising ? problem->rise + iteration : -problem->fall - iteration);
    wrong += tests[i] != expected;
  }
  return wrong;
}

/* Sorts the keys, those of all ranks one after the other, and returns how many of the own ones are out of place. */
static int count_unsorted(void) {
  struct ranking ranking = rank_keys();
  int* sorted = (int*)xmalloc((size_t)ranking.count, sizeof *sorted);
  int* next = (int*)xmalloc((size_t)ranking.values, sizeof *next);
  for (int value = 0, place = 0; value < ranking.values; ++value) {
    next[value] = place;
    place += ranking.counts[value];
  }
  for (int i = 0; i < ranking.count; ++i) sorted[next[ranking.keys[i] - ranking.first_value]++] = ranking.keys[i];

  int largest_before = -1;
  int largest = ranking.count > 0 ? sorted[ranking.count - 1] : -1;
  MPI_Exscan(&largest, &largest_before, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (own.rank == 0) largest_before = -1;
  int unsorted = 0;
  for (int i = 0; i < ranking.count; ++i) unsorted += sorted[i] < (i > 0 ? sorted[i - 1] : largest_before);
  free(sorted);
  free(next);
  release_ranking(&ranking);
  return unsorted;
}

/* ---- The benchmark ---- */

static uint64_t digest_ranking(uint64_t digest, const struct ranking* ranking) {
  digest = digest_word(digest, (uint64_t)ranking->before);
  for (int value = 0; value < ranking->values; ++value) digest = digest_word(digest, (uint64_t)ranking->counts[value]);
  return digest;
}

/* All iterations, the `repetition`-th time. Returns the digest of the process's rankings. */
static uint64_t run(const struct nas_options* options, long repetition, long* wrong_tests) {
  fill_keys();
  uint64_t digest = DIGEST_START;
  for (int iteration = 0; iteration < ITERATIONS; ++iteration) {
    hold_at(&options->hold, own.rank, repetition * ITERATIONS + iteration);
    const int number = iteration + 1; /* the specification counts from 1 */
    set_key(number, number);
    set_key(number + ITERATIONS, own.problem->values - number);
    struct ranking ranking = rank_keys();
    *wrong_tests += count_wrong_tests(&ranking, iteration);
    digest = digest_ranking(digest, &ranking);
    release_ranking(&ranking);
  }
  return digest;
}

/* All repetitions. Returns the exit status. */
static int benchmark(const struct nas_options* options) {
  make_own(options->problem_class);
  uint64_t first = 0;
  long wrong_tests = 0, different = 0;
  for (long repetition = 0; repetition < options->repeat; ++repetition) {
    const uint64_t digest = run(options, repetition, &wrong_tests);
    if (repetition == 0) first = digest;
    different += digest != first;
  }

  long wrong[2] = {count_unsorted(), different};
  MPI_Allreduce(MPI_IN_PLACE, wrong, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  free(own.keys);
  const bool right = wrong_tests == 0 && wrong[0] == 0 && wrong[1] == 0;
  return tell("is", digest_ranks(first, MPI_COMM_WORLD), right,
              "%ld test ranks of class %s are wrong, %ld keys are out of place, %ld repetitions ended differently",
              wrong_tests, nas_class_name(options->problem_class), wrong[0], wrong[1]);
}

int main(int argc, char** argv) {
  struct nas_options options;
  nas_parse(argc, argv, &options);
  MPI_Init(&argc, &argv);
  const int status = ends_here(&options.usage) ? explain(&options.usage, "is", help) : benchmark(&options);
  MPI_Finalize();
  return status;
}
