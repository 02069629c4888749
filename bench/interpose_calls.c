/* Times MPI's functions as libcppc replaces them, under cppc-run, and MPI's own, in turn, in the same process: on
 * communicators of the same two ranks, or of one. Rank 0 prints, one round a line: what, own and replaced nanoseconds.
 * Usage: interpose-calls ROUNDS */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALLS = 200000, PAIRS = 20000, REDUCTIONS = 50000, TRIPS = 2000, LARGEST = 65536 };

static char buffer[LARGEST];
static int me;

/* MPI's own functions. Under cppc-run a call of PMPI_Send, say, is one of libcppc's. */
#define FUNCTIONS(F)                                                                                              \
  F(Allreduce)                                                                                                    \
  F(Barrier) F(Comm_create_group) F(Comm_dup) F(Comm_free) F(Comm_group) F(Comm_rank) F(Group_free) F(Group_incl) \
      F(Irecv) F(Isend) F(Recv) F(Send) F(Wait)
#define MEMBER(name) __typeof__(&MPI_##name) name;
static struct { FUNCTIONS(MEMBER) } mpi;
#define OWN(name) mpi.name
#define REPLACED(name) MPI_##name

static void find_functions(void) {
#define FIND(name) *(void**)&mpi.name = dlsym(RTLD_DEFAULT, "PMPI_" #name);
  FUNCTIONS(FIND)
}

static double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

/* Each measurement once with MPI's own functions and once with libcppc's. */
#define MEASUREMENTS(name, F)                                                                     \
  static double name##_comm_rank(MPI_Comm comm, int bytes) {                                      \
    (void)bytes;                                                                                  \
    int rank = 0;                                                                                 \
    const double start = now_ns();                                                                \
    for (int i = 0; i < CALLS; ++i) F(Comm_rank)(comm, &rank);                                    \
    return (now_ns() - start) / CALLS;                                                            \
  }                                                                                               \
  static double name##_isend_irecv_wait(MPI_Comm comm, int bytes) {                               \
    (void)bytes;                                                                                  \
    int out = 1, in = 0;                                                                          \
    const double start = now_ns();                                                                \
    for (int i = 0; i < PAIRS; ++i) {                                                             \
      MPI_Request requests[2];                                                                    \
      F(Irecv)(&in, 1, MPI_INT, 0, 1, comm, &requests[0]);                                        \
      F(Isend)(&out, 1, MPI_INT, 0, 1, comm, &requests[1]);                                       \
      F(Wait)(&requests[0], MPI_STATUS_IGNORE);                                                   \
      F(Wait)(&requests[1], MPI_STATUS_IGNORE);                                                   \
    }                                                                                             \
    return (now_ns() - start) / PAIRS;                                                            \
  }                                                                                               \
  static double name##_allreduce(MPI_Comm comm, int bytes) {                                      \
    (void)bytes;                                                                                  \
    double mine = 1, sum = 0;                                                                     \
    const double start = now_ns();                                                                \
    for (int i = 0; i < REDUCTIONS; ++i) F(Allreduce)(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm); \
    return (now_ns() - start) / REDUCTIONS;                                                       \
  }                                                                                               \
  static double name##_pingpong(MPI_Comm comm, int bytes) {                                       \
    F(Barrier)(comm);                                                                             \
    const double start = now_ns();                                                                \
    for (int i = 0; i < TRIPS; ++i) {                                                             \
      if (me == 0) F(Send)(buffer, bytes, MPI_CHAR, 1, 2, comm);                                  \
      F(Recv)(buffer, bytes, MPI_CHAR, 1 - me, 2, comm, MPI_STATUS_IGNORE);                       \
      if (me == 1) F(Send)(buffer, bytes, MPI_CHAR, 0, 2, comm);                                  \
    }                                                                                             \
    return (now_ns() - start) / TRIPS;                                                            \
  }

MEASUREMENTS(own, OWN)
MEASUREMENTS(replaced, REPLACED)

typedef double (*measurement)(MPI_Comm comm, int bytes);

/* In even rounds MPI's own comes first. */
static void compare(const char* what, int round, int bytes, measurement own, MPI_Comm own_comm, measurement replaced,
                    MPI_Comm comm) {
  double first = 0, second = 0;
  if (round % 2 == 0) first = own(own_comm, bytes);
  second = replaced(comm, bytes);
  if (round % 2 == 1) first = own(own_comm, bytes);
  if (me == 0) printf("%s %.2f %.2f\n", what, first, second);
}

/* A communicator of MPI's own with the two ranks, which are any of the job's processes. */
static MPI_Comm own_pair(MPI_Comm pair) {
  int ranks[2], mine;
  MPI_Group all, two;
  MPI_Comm made;
  OWN(Comm_rank)(MPI_COMM_WORLD, &mine);
  MPI_Allgather(&mine, 1, MPI_INT, ranks, 1, MPI_INT, pair);
  OWN(Comm_group)(MPI_COMM_WORLD, &all);
  OWN(Group_incl)(all, 2, ranks, &two);
  OWN(Comm_create_group)(MPI_COMM_WORLD, two, 0, &made);
  OWN(Group_free)(&all);
  OWN(Group_free)(&two);
  return made;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = atoi(argv[1]);
  find_functions();
  memset(buffer, 1, sizeof buffer);
  MPI_Comm pair, alone, own_alone;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_dup(MPI_COMM_WORLD, &pair);
  MPI_Comm_dup(MPI_COMM_SELF, &alone);
  OWN(Comm_dup)(MPI_COMM_SELF, &own_alone);
  MPI_Comm own = own_pair(pair);
  for (int round = 0; round < rounds; ++round) {
    compare("8", round, 8, own_pingpong, own, replaced_pingpong, pair);
    compare("65536", round, LARGEST, own_pingpong, own, replaced_pingpong, pair);
    MPI_Barrier(pair);
    if (me == 0) {
      compare("comm_rank", round, 0, own_comm_rank, own_alone, replaced_comm_rank, alone);
      compare("isend_irecv_wait", round, 0, own_isend_irecv_wait, own_alone, replaced_isend_irecv_wait, alone);
      compare("allreduce", round, 0, own_allreduce, own_alone, replaced_allreduce, alone);
    }
    MPI_Barrier(pair);
  }
  OWN(Comm_free)(&own);
  OWN(Comm_free)(&own_alone);
  MPI_Comm_free(&pair);
  MPI_Comm_free(&alone);
  MPI_Finalize();
  return 0;
}
