/* Collective operations, blocking and not, on a communicator of the program's own. */
#include <stdlib.h>
#include <string.h>

#include "conformance.h"

enum { MOST = 16 };

static MPI_Comm all;
static int in[MOST * MOST], out[MOST * MOST], counts[MOST], places[MOST], bytes[MOST], byte_places[MOST];
static MPI_Datatype types[MOST];

void make_objects(void) {
  MPI_Comm_dup(MPI_COMM_WORLD, &all);
  for (int i = 0; i < ranks; ++i) {
    counts[i] = 2;
    places[i] = 2 * i;
    bytes[i] = 2;
    byte_places[i] = 2 * i * (int)sizeof(int);
    types[i] = MPI_INT;
  }
}

void free_objects(void) { MPI_Comm_free(&all); }

static void fill(int step) {
  for (int i = 0; i < 2 * ranks; ++i) out[i] = 1000 * step + 10 * me + i;
  memset(in, -1, sizeof in);
}

/* What each rank's first two values are, one rank after the other. */
static bool gathered(int step) {
  bool right = true;
  for (int i = 0; i < ranks; ++i)
    for (int k = 0; k < 2; ++k) right = right && in[2 * i + k] == 1000 * step + 10 * i + k;
  return right;
}

/* What each rank has for this one. */
static bool exchanged(int step) {
  bool right = true;
  for (int i = 0; i < ranks; ++i)
    for (int k = 0; k < 2; ++k) right = right && in[2 * i + k] == 1000 * step + 10 * i + 2 * me + k;
  return right;
}

/* What the root has for this rank. */
static bool scattered(int step, int root) {
  return in[0] == 1000 * step + 10 * root + 2 * me && in[1] == 1000 * step + 10 * root + 2 * me + 1;
}

/* The sum over ranks below `end` of what has index i. */
static int sum(int step, int end, int i) { return end * (1000 * step + i) + 10 * (end * (end - 1) / 2); }

static void wait(MPI_Request* request) { MPI_Wait(request, MPI_STATUS_IGNORE); }

static void use_blocking(int step, int root) {
  fill(step);
  MPI_Barrier(all);
  int value = me == root ? 7 + step : 0;
  MPI_Bcast(&value, 1, MPI_INT, root, all);
  EXPECT(value == 7 + step);
  fill(step), MPI_Gather(out, 2, MPI_INT, in, 2, MPI_INT, root, all);
  EXPECT(me != root || gathered(step));
  fill(step), MPI_Gatherv(out, 2, MPI_INT, in, counts, places, MPI_INT, root, all);
  EXPECT(me != root || gathered(step));
  fill(step), MPI_Allgather(out, 2, MPI_INT, in, 2, MPI_INT, all);
  EXPECT(gathered(step));
  fill(step), MPI_Allgatherv(out, 2, MPI_INT, in, counts, places, MPI_INT, all);
  EXPECT(gathered(step));
  fill(step), MPI_Scatter(out, 2, MPI_INT, in, 2, MPI_INT, root, all);
  EXPECT(scattered(step, root));
  fill(step), MPI_Scatterv(out, counts, places, MPI_INT, in, 2, MPI_INT, root, all);
  EXPECT(scattered(step, root));
  fill(step), MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, all);
  EXPECT(exchanged(step));
  fill(step), MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, all);
  EXPECT(exchanged(step));
  fill(step), MPI_Alltoallw(out, bytes, byte_places, types, in, bytes, byte_places, types, all);
  EXPECT(exchanged(step));
}

static void use_reductions(int step, int root) {
  fill(step), MPI_Reduce(out, in, 2, MPI_INT, MPI_SUM, root, all);
  EXPECT(me != root || in[1] == sum(step, ranks, 1));
  fill(step), MPI_Allreduce(out, in, 2, MPI_INT, MPI_SUM, all);
  EXPECT(in[0] == sum(step, ranks, 0));
  fill(step), MPI_Scan(out, in, 2, MPI_INT, MPI_SUM, all);
  EXPECT(in[1] == sum(step, me + 1, 1));
  fill(step), MPI_Exscan(out, in, 2, MPI_INT, MPI_SUM, all);
  EXPECT(me == 0 || in[1] == sum(step, me, 1));
  fill(step), MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, all);
  EXPECT(in[1] == sum(step, ranks, 2 * me + 1));
  fill(step), MPI_Reduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, all);
  EXPECT(in[0] == sum(step, ranks, 2 * me));
}

static void use_non_blocking(int step, int root) {
  MPI_Request request;
  MPI_Ibarrier(all, &request), wait(&request);
  int value = me == root ? 9 + step : 0;
  MPI_Ibcast(&value, 1, MPI_INT, root, all, &request), wait(&request);
  EXPECT(value == 9 + step);
  fill(step), MPI_Igather(out, 2, MPI_INT, in, 2, MPI_INT, root, all, &request), wait(&request);
  EXPECT(me != root || gathered(step));
  fill(step), MPI_Igatherv(out, 2, MPI_INT, in, counts, places, MPI_INT, root, all, &request), wait(&request);
  EXPECT(me != root || gathered(step));
  fill(step), MPI_Iallgather(out, 2, MPI_INT, in, 2, MPI_INT, all, &request), wait(&request);
  EXPECT(gathered(step));
  fill(step), MPI_Iallgatherv(out, 2, MPI_INT, in, counts, places, MPI_INT, all, &request), wait(&request);
  EXPECT(gathered(step));
  fill(step), MPI_Iscatter(out, 2, MPI_INT, in, 2, MPI_INT, root, all, &request), wait(&request);
  EXPECT(scattered(step, root));
  fill(step), MPI_Iscatterv(out, counts, places, MPI_INT, in, 2, MPI_INT, root, all, &request), wait(&request);
  EXPECT(scattered(step, root));
  fill(step), MPI_Ialltoall(out, 2, MPI_INT, in, 2, MPI_INT, all, &request), wait(&request);
  EXPECT(exchanged(step));
  fill(step), MPI_Ialltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, all, &request), wait(&request);
  EXPECT(exchanged(step));
  fill(step), MPI_Ialltoallw(out, bytes, byte_places, types, in, bytes, byte_places, types, all, &request);
  wait(&request);
  EXPECT(exchanged(step));
}

static void use_non_blocking_reductions(int step, int root) {
  MPI_Request request;
  fill(step), MPI_Ireduce(out, in, 2, MPI_INT, MPI_SUM, root, all, &request), wait(&request);
  EXPECT(me != root || in[1] == sum(step, ranks, 1));
  fill(step), MPI_Iallreduce(out, in, 2, MPI_INT, MPI_SUM, all, &request), wait(&request);
  EXPECT(in[0] == sum(step, ranks, 0));
  fill(step), MPI_Iscan(out, in, 2, MPI_INT, MPI_SUM, all, &request), wait(&request);
  EXPECT(in[1] == sum(step, me + 1, 1));
  fill(step), MPI_Iexscan(out, in, 2, MPI_INT, MPI_SUM, all, &request), wait(&request);
  EXPECT(me == 0 || in[1] == sum(step, me, 1));
  fill(step), MPI_Ireduce_scatter(out, in, counts, MPI_INT, MPI_SUM, all, &request), wait(&request);
  EXPECT(in[1] == sum(step, ranks, 2 * me + 1));
  fill(step), MPI_Ireduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, all, &request), wait(&request);
  EXPECT(in[0] == sum(step, ranks, 2 * me));
}

void use_objects(int step) {
  const int root = step % ranks;
  use_blocking(step, root);
  use_reductions(step, root);
  use_non_blocking(step, root);
  use_non_blocking_reductions(step, root);
}
