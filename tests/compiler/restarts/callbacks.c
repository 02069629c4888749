/* What functions read that MPI or the C library calls later: a user operation, copying and deleting attributes, an error
 * handler, one for the end. Nothing else reads it after a safe point. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct box {
  int value;
  int* more;
};

static int modulus, factor, erased, errors;

static void sum_modulo(void* in, void* inout, int* n, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *n; i++) ((int*)inout)[i] = (((int*)in)[i] + ((int*)inout)[i] + modulus) % (modulus + 1);
}

static int copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  ((struct box*)in)->value += factor;
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}

static int erase(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key;
  erased += *(int*)extra + *((struct box*)value)->more;
  return MPI_SUCCESS;
}

static void complain(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  errors += factor;
}

static void at_the_end(void) { printf("erased %d, errors %d\n", erased, errors); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  atexit(at_the_end);
  modulus = argc + 10;
  factor = argc + 2;
  int key, extra = 7;
  struct box* box = malloc(sizeof *box);
  box->value = 1;
  box->more = malloc(sizeof(int));
  *box->more = 5 * argc;
  MPI_Op op;
  MPI_Comm comm;
  MPI_Errhandler handler;
  MPI_Op_create(sum_modulo, 1, &op);
  MPI_Comm_create_keyval(copy, erase, &key, &extra);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(complain, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
  MPI_Comm_set_attr(comm, key, box);
  box = NULL;
  int total = 0;
  for (int step = 0; step < 12; step++) {
    int mine = step, all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm);
    MPI_Reduce_local(&mine, &all, 1, MPI_INT, op);
    total += all;
    MPI_Comm other;
    MPI_Comm_dup(comm, &other);
    MPI_Comm_free(&other);
    if (step % 3 == 0) MPI_Bcast(&mine, 1, MPI_INT, 99, comm);
  }
  MPI_Comm_free(&comm);
  printf("%d\n", total);
  MPI_Op_free(&op);
  MPI_Finalize();
  return 0;
}
