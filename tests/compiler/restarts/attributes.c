/* Attributes, their keys and info objects across safe points: what an attribute leads to is read through it alone. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct box {
  int value;
  int* more;
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int by_pointer, by_number;
  struct box* box = malloc(sizeof *box);
  box->value = argc;
  box->more = malloc(sizeof(int));
  *box->more = 5 * argc;
  MPI_Comm comm;
  MPI_Info info;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &by_pointer, NULL);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &by_number, NULL);
  MPI_Comm_set_attr(comm, by_pointer, box);
  MPI_Comm_set_attr(comm, by_number, (void*)33);
  box = NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "depth", "12");
  long total = 0;
  for (int step = 0; step < 12; step++) {
    struct box* got;
    void* number;
    int flag, mine = step, all;
    MPI_Comm copy;
    MPI_Comm_dup(comm, &copy);
    MPI_Comm_get_attr(copy, by_pointer, &got, &flag);
    MPI_Comm_get_attr(comm, by_number, &number, &flag);
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, copy);
    total += all + got->value + *got->more + (long)number * flag;
    got->value += step;
    MPI_Comm_get_attr(copy, by_number, &number, &flag);
    total += flag;
    MPI_Comm_free(&copy);
  }
  char depth[20];
  int flag;
  MPI_Info_get(info, "depth", 19, depth, &flag);
  printf("%ld %s\n", total, depth);
  MPI_Info_free(&info);
  MPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&by_pointer);
  MPI_Comm_free_keyval(&by_number);
  MPI_Finalize();
  return 0;
}
