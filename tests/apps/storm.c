/* A storm of messages that is never over: at every step each rank sends some to anybody, itself included, over three
 * communicators and in every mode, and takes what has come, by receives that stay posted from step to step, by probing,
 * and by persistent receives; now and then they let each other know, by a barrier that is never waited for at once. So
 * at the start of a step messages are under way, requests active, receives without a message.
 *
 * Every message says who sent it and how many came before it on this way; contents and length follow from that. So the
 * one who receives it knows whether all came, once and in order.
 *
 * Live at a step's start: the options; the number of the step; the storm with all of its requests and buffers. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hold.h"
#include "options.h"
#include "result.h"

enum { WAYS = 3, POSTED = 3, SENDS = 24, MOST_PER_STEP = 6, LARGEST = 40000, TAGS = 5, PACE = 8 };
enum { BY_POSTED, BY_PROBE, BY_PERSISTENT }; /* how a way's messages are received */

static const char help[] =
    "Usage: storm [--steps S | --until FILE] [--pause-us U] [--hold FILE --hold-at K]\n"
    "Sends and receives at random without ever being done, and checks that every message arrives once and in order.\n"
    "  --steps S     time steps (200)\n"
    "  --until FILE  instead: go on until FILE exists\n"
    "  --pause-us U  sleep U microseconds in every step\n"
    "  --hold FILE   at step K (--hold-at K, or several, as 3,7) wait until FILE exists, and remove it\n"
    "Exit status: 0 right, 1 wrong, 2 wrong usage.\n"
    "Example:\n"
    "  mpirun -n 4 storm --steps 1000\n";

struct options {
  struct usage usage;
  long steps, pause_us;
  const char* until;
  struct hold hold;
};

struct sending {
  MPI_Request request;
  int* words;
};

/* One communicator and what is received over it. */
struct way {
  MPI_Comm comm;
  MPI_Request posted[POSTED]; /* in the order in which they get messages, from `first` on, round and round */
  int* buffers[POSTED];
  int first;
  long* sent;     /* to each rank */
  long* received; /* from each rank */
  uint64_t* digests;
};

struct storm {
  int rank, ranks;
  struct way ways[WAYS];
  struct sending sends[SENDS];
  MPI_Request pace; /* everybody is in the same PACE steps, or in the ones before */
  uint64_t random;
  long wrong;
};

static uint64_t mix(uint64_t x) {
  x ^= x >> 33;
  x *= UINT64_C(0xff51afd7ed558ccd);
  x ^= x >> 33;
  x *= UINT64_C(0xc4ceb9fe1a85ec53);
  return x ^ (x >> 33);
}

static int draw(struct storm* storm, int below) {
  storm->random += UINT64_C(0x9e3779b97f4a7c15);
  return (int)(mix(storm->random) % (uint64_t)below);
}

/* Words of the message `number` from `source` to `destination`: few are large. */
static int length_of(int way, int source, int destination, long number) {
  const uint64_t seed = mix((uint64_t)number * 4096 + (uint64_t)(source * 64 + destination * 4 + way) + 1);
  return 3 + (int)(seed % 16 == 0 ? seed / 16 % (LARGEST - 3) : seed / 16 % 60);
}

static void write_message(int* words, int length, int way, int source, long number) {
  words[0] = source;
  words[1] = (int)number;
  for (int i = 2; i < length; ++i) words[i] = (int)mix((uint64_t)number * 31 + (uint64_t)(i + way * 7 + source));
}

static void check_message(struct storm* storm, int index, const int* words, const MPI_Status* status) {
  struct way* way = &storm->ways[index];
  static int expected[LARGEST];
  int length = 0;
  MPI_Get_count(status, MPI_INT, &length);
  const int source = status->MPI_SOURCE;
  const long number = way->received[source]++;
  const bool long_enough = length == length_of(index, source, storm->rank, number);
  if (long_enough) write_message(expected, length, index, source, number);
  if (!long_enough || status->MPI_TAG != (int)(number % TAGS) ||
      memcmp(words, expected, (size_t)length * sizeof *words) != 0)
    ++storm->wrong;
  for (int i = 0; i < length; i += 1 + length / 16)
    way->digests[source] = digest_word(way->digests[source], (uint64_t)words[i]);
}

/* Takes what has come to receives that are posted, in their order. */
static void take_posted(struct storm* storm, int index) {
  struct way* way = &storm->ways[index];
  for (int come = 1; come;) {
    const int first = way->first;
    MPI_Status status;
    MPI_Test(&way->posted[first], &come, &status);
    if (!come) break;
    check_message(storm, index, way->buffers[first], &status);
    if (index == BY_PERSISTENT)
      MPI_Start(&way->posted[first]);
    else
      MPI_Irecv(way->buffers[first], LARGEST, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, way->comm, &way->posted[first]);
    way->first = (first + 1) % POSTED;
  }
}

static void take_by_probing(struct storm* storm) {
  struct way* way = &storm->ways[BY_PROBE];
  int* words = way->buffers[0];
  for (int come = 1; come;) {
    MPI_Status status;
    MPI_Message message;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, way->comm, &come, &status);
    if (!come) break;
    if (way->received[status.MPI_SOURCE] % 2 == 0) {
      MPI_Recv(words, LARGEST, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, way->comm, &status);
    } else {
      MPI_Improbe(status.MPI_SOURCE, MPI_ANY_TAG, way->comm, &come, &message, &status);
      MPI_Mrecv(words, LARGEST, MPI_INT, &message, &status);
    }
    check_message(storm, BY_PROBE, words, &status);
  }
}

static void take_all(struct storm* storm) {
  take_posted(storm, BY_POSTED);
  take_by_probing(storm);
  take_posted(storm, BY_PERSISTENT);
}

/* A send that is complete; whoever waits for it takes what comes meanwhile. */
static struct sending* free_send(struct storm* storm) {
  for (int i = 0;; i = (i + 1) % SENDS) {
    struct sending* sending = &storm->sends[i];
    int complete = 0;
    MPI_Test(&sending->request, &complete, MPI_STATUS_IGNORE);
    if (complete) return sending;
    if (i == SENDS - 1) take_all(storm);
  }
}

static void send_one(struct storm* storm) {
  const int index = draw(storm, WAYS), destination = draw(storm, storm->ranks), mode = draw(storm, 3);
  struct way* way = &storm->ways[index];
  struct sending* sending = free_send(storm);
  const long number = way->sent[destination]++;
  const int length = length_of(index, storm->rank, destination, number), tag = (int)(number % TAGS);
  write_message(sending->words, length, index, storm->rank, number);
  if (mode == 0)
    MPI_Isend(sending->words, length, MPI_INT, destination, tag, way->comm, &sending->request);
  else if (mode == 1)
    MPI_Issend(sending->words, length, MPI_INT, destination, tag, way->comm, &sending->request);
  else if (length < 100)
    MPI_Send(sending->words, length, MPI_INT, destination, tag, way->comm);
  else
    MPI_Isend(sending->words, length, MPI_INT, destination, tag, way->comm, &sending->request);
}

static void wait_taking(struct storm* storm, MPI_Request* request) {
  for (int complete = 0; !complete;) {
    take_all(storm);
    MPI_Test(request, &complete, MPI_STATUS_IGNORE);
  }
}

static void keep_pace(struct storm* storm, long step) {
  if (step % PACE != 0) return;
  wait_taking(storm, &storm->pace);
  MPI_Ibarrier(MPI_COMM_WORLD, &storm->pace);
}

/* Whether there is another step: the same on all ranks. */
static bool goes_on(struct storm* storm, const struct options* options, long step) {
  if (options->until == NULL) return step < options->steps;
  if (step % PACE != 0) return true;
  int there = storm->rank == 0 && access(options->until, F_OK) == 0;
  MPI_Request told;
  MPI_Ibcast(&there, 1, MPI_INT, 0, MPI_COMM_WORLD, &told);
  wait_taking(storm, &told);
  return there == 0;
}

static void* take_memory(size_t count, size_t bytes) {
  void* memory = calloc(count, bytes);
  if (memory == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  return memory;
}

static void make_way(struct storm* storm, int index) {
  struct way* way = &storm->ways[index];
  const size_t ranks = (size_t)storm->ranks;
  MPI_Comm_dup(MPI_COMM_WORLD, &way->comm);
  way->first = 0;
  way->sent = (long*)take_memory(ranks, sizeof(long));
  way->received = (long*)take_memory(ranks, sizeof(long));
  way->digests = (uint64_t*)take_memory(ranks, sizeof(uint64_t));
  for (int i = 0; i < POSTED; ++i) {
    way->buffers[i] = (int*)take_memory(LARGEST, sizeof(int));
    way->posted[i] = MPI_REQUEST_NULL;
    if (index == BY_POSTED)
      MPI_Irecv(way->buffers[i], LARGEST, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, way->comm, &way->posted[i]);
    if (index == BY_PERSISTENT) {
      MPI_Recv_init(way->buffers[i], LARGEST, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, way->comm, &way->posted[i]);
      MPI_Start(&way->posted[i]);
    }
  }
}

static void begin(struct storm* storm) {
  MPI_Comm_rank(MPI_COMM_WORLD, &storm->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &storm->ranks);
  storm->random = mix((uint64_t)storm->rank + 1);
  storm->wrong = 0;
  storm->pace = MPI_REQUEST_NULL;
  for (int i = 0; i < SENDS; ++i) {
    storm->sends[i].request = MPI_REQUEST_NULL;
    storm->sends[i].words = (int*)take_memory(LARGEST, sizeof(int));
  }
  for (int i = 0; i < WAYS; ++i) make_way(storm, i);
}

/* Takes what is still under way, now that nobody sends any more. */
static void calm_down(struct storm* storm) {
  long* all = (long*)take_memory((size_t)storm->ranks, sizeof(long));
  wait_taking(storm, &storm->pace);
  for (int index = 0; index < WAYS; ++index) {
    MPI_Request exchange;
    MPI_Ialltoall(storm->ways[index].sent, 1, MPI_LONG, all, 1, MPI_LONG, MPI_COMM_WORLD, &exchange);
    wait_taking(storm, &exchange);
    for (int source = 0; source < storm->ranks; ++source)
      while (storm->ways[index].received[source] < all[source]) take_all(storm);
  }
  for (int i = 0; i < SENDS; ++i) MPI_Wait(&storm->sends[i].request, MPI_STATUS_IGNORE);
  free(all);
}

/* The digest of everything that was received. */
static uint64_t end(struct storm* storm) {
  uint64_t digest = DIGEST_START;
  for (int index = 0; index < WAYS; ++index) {
    struct way* way = &storm->ways[index];
    for (int i = 0; i < POSTED; ++i) {
      if (index != BY_PROBE) {
        MPI_Cancel(&way->posted[i]);
        MPI_Wait(&way->posted[i], MPI_STATUS_IGNORE);
      }
      if (index == BY_PERSISTENT) MPI_Request_free(&way->posted[i]);
      free(way->buffers[i]);
    }
    for (int source = 0; source < storm->ranks; ++source) digest = digest_word(digest, way->digests[source]);
    free(way->sent);
    free(way->received);
    free(way->digests);
    MPI_Comm_free(&way->comm);
  }
  for (int i = 0; i < SENDS; ++i) free(storm->sends[i].words);
  return digest;
}

static void parse_options(int argc, char** argv, struct options* options) {
  const struct setting settings[] = {
      {"steps", .number = &options->steps, .least = 1, .most = 1000000000},
      {"until", .text = &options->until},
      {"pause-us", .number = &options->pause_us, .least = 0, .most = 999999},
      {"hold", .text = &options->hold.file},
      {"hold-at", .list = &options->hold.steps},
  };
  *options = (struct options){.steps = 200};
  const int operand = parse(argc, argv, settings, sizeof settings / sizeof *settings, &options->usage);
  if (operand < argc) wrong_usage(&options->usage, "'%s' is one argument too many", argv[operand]);
}

static int blow(const struct options* options) {
  struct storm storm;
  begin(&storm);
  for (long step = 0; goes_on(&storm, options, step); ++step) {
    hold_at(&options->hold, storm.rank, step);
    keep_pace(&storm, step);
    for (int left = draw(&storm, MOST_PER_STEP + 1); left > 0; --left) send_one(&storm);
    take_all(&storm);
    if (options->pause_us > 0) usleep((useconds_t)options->pause_us);
  }
  calm_down(&storm);
  const uint64_t digest = digest_ranks(end(&storm), MPI_COMM_WORLD);
  long wrong = 0;
  MPI_Allreduce(&storm.wrong, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return tell("storm", digest, wrong == 0, "%ld messages are not the ones expected", wrong);
}

int main(int argc, char** argv) {
  struct options options;
  parse_options(argc, argv, &options);
  MPI_Init(&argc, &argv);
  const int status = ends_here(&options.usage) ? explain(&options.usage, "storm", help) : blow(&options);
  MPI_Finalize();
  return status;
}
