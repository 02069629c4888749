/* A loop that communicates is in a function that MPI calls, and MPI has what is its own on the stack: ranks move later. */
#include <mpi.h>
#include <stdio.h>

static int copy(MPI_Comm old, int key, void* extra, void* in, void* out, int* flag) {
  (void)key, (void)extra;
  long sum = 0, all;
#pragma cppc checkpoint
  for (int it = 1; it <= 10; ++it) {
    sum += (long)in * it;
    MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, old);
  }
  *(void**)out = (void*)all;
  *flag = 1;
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  int rank, key, flag;
  long all;
  MPI_Comm second;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, (void*)3L);
  MPI_Comm_dup(MPI_COMM_WORLD, &second);
  MPI_Comm_get_attr(second, key, &all, &flag);
  printf("%d %d %ld\n", rank, flag, all);
#pragma cppc checkpoint
  for (int it = 1; it <= 10; ++it) {
    long one = rank + it, sum;
    MPI_Allreduce(&one, &sum, 1, MPI_LONG, MPI_SUM, second);
    printf("%d %d %ld\n", rank, it, sum);
  }
  MPI_Comm_free(&second);
  MPI_Finalize();
}
