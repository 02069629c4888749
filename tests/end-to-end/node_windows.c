/* Memory that the ranks of a node share: a window of MPI_Win_allocate_shared of which each has a part, one of which the
 * first has all, and one of MPI_Win_allocate, in which only another rank has ever written. Each rank says in the end
 * whether all of it has been as it should be. Usage: node_windows STOP-FILE. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { count = 200000 };

static double* shared(int part, MPI_Comm node, MPI_Win* window) {
  double* own;
  MPI_Win_allocate_shared(part * (MPI_Aint)sizeof *own, sizeof *own, MPI_INFO_NULL, node, &own, window);
  return own;
}

static double* part_of(int member, MPI_Win window) {
  double* part;
  MPI_Aint bytes;
  int unit;
  MPI_Win_shared_query(window, member, &bytes, &unit, &part);
  return part;
}

/* Rank 0 looks: 1 when the file is there. */
static int wanted(const char* stop, int rank) {
  int there = rank == 0 && access(stop, F_OK) == 0;
  MPI_Bcast(&there, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return there;
}

int main(int argc, char** argv) {
  MPI_Comm node;
  MPI_Win parts, table, put;
  int rank, member, members, wrong = 0;
  if (argc != 2) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &member);
  MPI_Comm_size(node, &members);
  const int next = (member + 1) % members;

  double* const own = shared(count, node, &parts);
  double* const other = part_of(next, parts);
  shared(member == 0 ? count : 0, node, &table);
  double* const all = part_of(0, table);
  double *got, *sent = malloc(count * sizeof *sent);
  MPI_Win_allocate(count * (MPI_Aint)sizeof *got, sizeof *got, MPI_INFO_NULL, node, &got, &put);
  for (int i = 0; i < count; i++) {
    own[i] = sent[i] = i + member;
    if (member == 0) all[i] = i;
  }
  MPI_Win_fence(0, put);
  MPI_Put(sent, count, MPI_DOUBLE, next, 0, count, MPI_DOUBLE, put);
  MPI_Win_fence(0, put);

  int step = 0;
  do {
    MPI_Win_fence(0, parts);
    MPI_Win_fence(0, table);
    const int i = step % count;
    wrong += other[i] != i + next + (double)(step / count) || all[i] != i + (double)(step / count);
    MPI_Win_fence(0, parts);
    MPI_Win_fence(0, table);
    own[i] += 1;
    if (member == 0) all[i] += 1;
    usleep(1000);
    step++;
  } while (!wanted(argv[1], rank));
  const int before = (member + members - 1) % members;
  for (int i = 0; i < count; i++) wrong += got[i] != i + before || other[i] < i + next || all[i] < i;
  printf("rank %d, one of %d on its node: %d wrong\n", rank, members, wrong);
  MPI_Win_free(&put);
  MPI_Win_free(&table);
  MPI_Win_free(&parts);
  MPI_Finalize();
  return wrong != 0;
}
