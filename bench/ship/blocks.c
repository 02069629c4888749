/* Rank 1 has as many blocks of the heap as the first argument says, each a link of a list; rank 0 has the same list in one
 * block. They do nothing with it until the file exists that the second argument names; then each checks its list. What
 * bench-ship moves: the difference between the two is what small blocks cost. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct link {
  struct link* next;
  double values[5];
};

static double value(long number, int place) { return (double)(number * 7 + place); }

static struct link* new_link(struct link* array, long number) {
  struct link* one = array != NULL ? array + number : malloc(sizeof *one);
  if (one == NULL) {
    fprintf(stderr, "no memory for link %ld\n", number);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int i = 0; i < 5; ++i) one->values[i] = value(number, i);
  return one;
}

static struct link* make_list(long links, int in_one) {
  struct link* array = in_one ? malloc((size_t)links * sizeof *array) : NULL;
  struct link* first = NULL;
  for (long number = links - 1; number >= 0; --number) {
    struct link* one = new_link(array, number);
    one->next = first;
    first = one;
  }
  return first;
}

static long count_wrong(const struct link* first, long links) {
  long wrong = 0, number = 0;
  for (const struct link* one = first; one != NULL; one = one->next, ++number) {
    for (int i = 0; i < 5; ++i) wrong += one->values[i] != value(number, i);
  }
  return wrong + (number != links);
}

static void wait_for(const char* file, int rank) {
  for (int there = 0; !there;) {
    usleep(2000);
    there = rank == 0 && access(file, F_OK) == 0;
    MPI_Bcast(&there, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 3) {
    fprintf(stderr, "Usage: %s LINKS FILE\n", argv[0]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const long links = atol(argv[1]);
  struct link* list = make_list(links, rank == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("working\n"), fflush(stdout);
  wait_for(argv[2], rank);
  long wrong = count_wrong(list, links), all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf(all == 0 ? "right\n" : "WRONG: %ld values\n", all);
  MPI_Finalize();
  return all != 0;
}
