/* In each round one rank computes, without a call of MPI, until the file FILE.<round> is there; the others wait for it
 * in a collective operation, in each round another one, whose result all check. Says which round it is in. Usage:
 * late_rank FILE */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { elements = 1000, most_ranks = 16 };

static int rank, size;
static MPI_Comm first_two, all_but_first;
static long wrong;

static void check(int is_right, const char* what) {
  if (is_right) return;
  ++wrong;
  printf("rank %d: %s is wrong\n", rank, what);
}

static void bcast(int late) {
  double values[elements];
  for (int i = 0; i < elements; ++i) values[i] = rank == late ? i / 3. : -1;
  MPI_Bcast(values, elements, MPI_DOUBLE, late, MPI_COMM_WORLD);
  for (int i = 0; i < elements; ++i) check(values[i] == i / 3., "MPI_Bcast");
}

static void scatter(int late) {
  int all[most_ranks], mine = -1;
  for (int i = 0; i < size; ++i) all[i] = 5 * i;
  MPI_Scatter(all, 1, MPI_INT, &mine, 1, MPI_INT, late, MPI_COMM_WORLD);
  check(mine == 5 * rank, "MPI_Scatter");
}

static void allgather(int in_place) {
  int all[most_ranks], mine = 7 * rank;
  all[rank] = mine;
  MPI_Allgather(in_place ? MPI_IN_PLACE : &mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) check(all[i] == 7 * i, "MPI_Allgather");
}

static void alltoall(int in_place) {
  int sent[most_ranks], received[most_ranks];
  for (int i = 0; i < size; ++i) received[i] = sent[i] = 100 * rank + i;
  MPI_Alltoall(in_place ? MPI_IN_PLACE : sent, 1, MPI_INT, received, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) check(received[i] == 100 * i + rank, "MPI_Alltoall");
}

static void allreduce(int in_place) {
  double mine[100], all[100];
  for (int i = 0; i < 100; ++i) mine[i] = all[i] = rank + i / 7.;
  MPI_Allreduce(in_place ? MPI_IN_PLACE : mine, all, 100, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i < 100; ++i) check(all[i] == size - 1 + i / 7., "MPI_Allreduce");
}

static void where_is_most(void) {
  struct {
    double value;
    int at;
  } mine = {-rank, rank}, most = {0, -1};
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  check(most.value == 1 - size && most.at == size - 1, "MPI_Allreduce of pairs");
}

static void reduce_scatter(int in_place) {
  long all[most_ranks], mine = 0;
  for (int i = 0; i < size; ++i) all[i] = i;
  if (in_place)
    MPI_Reduce_scatter_block(MPI_IN_PLACE, all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  else
    MPI_Reduce_scatter_block(all, &mine, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  check((in_place ? all[0] : mine) == (long)size * rank, "MPI_Reduce_scatter_block");
}

/* All but rank 0 wait for rank 1, which waits for rank 0. */
static void chain(void) {
  int sum = rank + 1;
  if (rank < 2) MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, first_two);
  check(sum == (rank < 2 ? 3 : rank + 1), "MPI_Allreduce of two");
  if (rank > 0) MPI_Bcast(&sum, 1, MPI_INT, 0, all_but_first);
  check(sum == 3, "MPI_Bcast to all but one");
}

static void perform(int round, int late) {
  switch (round) {
    case 0: chain(); break;
    case 1: bcast(late); break;
    case 2: scatter(late); break;
    case 3: allgather(0); break;
    case 4: allgather(1); break;
    case 5: alltoall(0); break;
    case 6: alltoall(1); break;
    case 7: allreduce(0); break;
    case 8: allreduce(1); break;
    case 9: where_is_most(); break;
    case 10: reduce_scatter(0); break;
    case 11: reduce_scatter(1); break;
    default: MPI_Barrier(MPI_COMM_WORLD); break;
  }
}

/* Until the file is there: mostly in the program's own code. */
static void compute(const char* name) {
  volatile unsigned long state = 1;
  while (access(name, F_OK) != 0)
    for (int i = 0; i < 1000000; ++i) state = state * 6364136223846793005UL + 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 2 || size > most_ranks) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &first_two);
  MPI_Comm_split(MPI_COMM_WORLD, rank > 0 ? 0 : MPI_UNDEFINED, rank, &all_but_first);
  for (int round = 0; round < 13; ++round) {
    const int late = round % size;
    char name[4096];
    snprintf(name, sizeof name, "%s.%d", argv[1], round);
    if (rank == late) {
      for (int other = 1; other < size; ++other)
        MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      usleep(100000); /* by then they are inside */
      printf("round %d: rank %d computes\n", round, late);
      fflush(stdout);
      compute(name);
    } else {
      MPI_Send(NULL, 0, MPI_BYTE, late, round, MPI_COMM_WORLD);
    }
    perform(round, late);
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%ld wrong\n", wrong);
  MPI_Finalize();
  return wrong != 0;
}
