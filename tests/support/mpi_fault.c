/* Preloaded into agents: a call of MPI fails, and does nothing. Which one says the file that MPI_FAULT names, while it
 * is there: FUNCTION NTH. The process that comes first to this call, counted in each from when the file appeared,
 * removes the file and fails. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int strikes(const char* function) {
  static char counted[128];
  static int calls;
  char wanted[128] = "";
  char name[64] = "";
  int nth = 0;
  const char* const path = getenv("MPI_FAULT");
  FILE* const file = path != NULL ? fopen(path, "r") : NULL;
  if (file == NULL) return 0;
  const char* const line = fgets(wanted, sizeof wanted, file);
  fclose(file);
  if (line == NULL || sscanf(wanted, "%63s %d", name, &nth) != 2 || strcmp(name, function) != 0) return 0;
  if (strcmp(wanted, counted) != 0) strcpy(counted, wanted), calls = 0;
  if (++calls < nth || unlink(path) != 0) return 0;
  counted[0] = '\0';
  return 1;
}

static void* next(const char* function) {
  void* const found = dlsym(RTLD_NEXT, function);
  if (found == NULL) {
    fprintf(stderr, "mpi_fault: there is no %s\n", function);
    abort();
  }
  return found;
}

#define MAY_FAIL(name, parameters, arguments) \
  int name parameters { return strikes(#name) ? MPI_ERR_OTHER : ((int(*) parameters)next(#name))arguments; }

#define C const
MAY_FAIL(PMPI_Init, (int* a, char*** b), (a, b))
MAY_FAIL(PMPI_Finalize, (void), ())
MAY_FAIL(PMPI_Comm_size, (MPI_Comm a, int* b), (a, b))
MAY_FAIL(PMPI_Comm_rank, (MPI_Comm a, int* b), (a, b))
MAY_FAIL(PMPI_Comm_set_errhandler, (MPI_Comm a, MPI_Errhandler b), (a, b))
MAY_FAIL(PMPI_Comm_dup, (MPI_Comm a, MPI_Comm* b), (a, b))
MAY_FAIL(PMPI_Comm_split, (MPI_Comm a, int b, int c, MPI_Comm* d), (a, b, c, d))
MAY_FAIL(PMPI_Comm_split_type, (MPI_Comm a, int b, int c, MPI_Info d, MPI_Comm* e), (a, b, c, d, e))
MAY_FAIL(PMPI_Comm_free, (MPI_Comm * a), (a))
MAY_FAIL(PMPI_Comm_group, (MPI_Comm a, MPI_Group* b), (a, b))
MAY_FAIL(PMPI_Group_incl, (MPI_Group a, int b, C int c[], MPI_Group* d), (a, b, c, d))
MAY_FAIL(PMPI_Group_free, (MPI_Group * a), (a))
MAY_FAIL(PMPI_Comm_create_group, (MPI_Comm a, MPI_Group b, int c, MPI_Comm* d), (a, b, c, d))
MAY_FAIL(PMPI_Intercomm_create, (MPI_Comm a, int b, MPI_Comm c, int d, int e, MPI_Comm* f), (a, b, c, d, e, f))
MAY_FAIL(PMPI_Intercomm_merge, (MPI_Comm a, int b, MPI_Comm* c), (a, b, c))
MAY_FAIL(PMPI_Barrier, (MPI_Comm a), (a))
MAY_FAIL(PMPI_Allreduce, (C void* a, void* b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f), (a, b, c, d, e, f))
MAY_FAIL(PMPI_Allgather, (C void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, MPI_Comm g),
         (a, b, c, d, e, f, g))
MAY_FAIL(PMPI_Test, (MPI_Request * a, int* b, MPI_Status* c), (a, b, c))
MAY_FAIL(PMPI_Isend, (C void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request* g),
         (a, b, c, d, e, f, g))
MAY_FAIL(PMPI_Irecv, (void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request* g), (a, b, c, d, e, f, g))
MAY_FAIL(PMPI_Iprobe, (int a, int b, MPI_Comm c, int* d, MPI_Status* e), (a, b, c, d, e))
MAY_FAIL(PMPI_Get_count, (C MPI_Status * a, MPI_Datatype b, int* c), (a, b, c))
MAY_FAIL(PMPI_Error_string, (int a, char* b, int* c), (a, b, c))
MAY_FAIL(PMPI_Info_create, (MPI_Info * a), (a))
MAY_FAIL(PMPI_Info_set, (MPI_Info a, C char* b, C char* c), (a, b, c))
MAY_FAIL(PMPI_Info_free, (MPI_Info * a), (a))
MAY_FAIL(PMPI_Comm_spawn_multiple,
         (int a, char* b[], char** c[], C int d[], C MPI_Info e[], int f, MPI_Comm g, MPI_Comm* h, int i[]),
         (a, b, c, d, e, f, g, h, i))
