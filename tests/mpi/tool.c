/* As a profiling tool: counts what each rank calls and says so at the end. TOOL_DUPLICATES: it makes a communicator of
 * its own when the program begins. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SEND, ISEND, RECV, ALLREDUCE, DUP, BYTES_SENT, BYTES_RECEIVED, COUNTS };

static long counts[COUNTS];
static int me, ranks;
static MPI_Comm own = MPI_COMM_NULL;

static long bytes_of(int count, MPI_Datatype type) {
  int size;
  PMPI_Type_size(type, &size);
  return (long)count * size;
}

int MPI_Init(int* argc, char*** argv) {
  const int status = PMPI_Init(argc, argv);
  PMPI_Comm_rank(MPI_COMM_WORLD, &me);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (getenv("TOOL_DUPLICATES") != NULL) PMPI_Comm_dup(MPI_COMM_WORLD, &own);
  return status;
}

int MPI_Send(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  ++counts[SEND];
  counts[BYTES_SENT] += bytes_of(count, type);
  return PMPI_Send(buf, count, type, dest, tag, comm);
}

int MPI_Isend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  ++counts[ISEND];
  counts[BYTES_SENT] += bytes_of(count, type);
  return PMPI_Isend(buf, count, type, dest, tag, comm, request);
}

int MPI_Recv(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  MPI_Status own_status;
  MPI_Status* const known = status != MPI_STATUS_IGNORE ? status : &own_status;
  const int result = PMPI_Recv(buf, count, type, source, tag, comm, known);
  int received;
  PMPI_Get_count(known, MPI_BYTE, &received);
  ++counts[RECV];
  counts[BYTES_RECEIVED] += received;
  return result;
}

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ++counts[ALLREDUCE];
  return PMPI_Allreduce(in, out, count, type, op, comm);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  ++counts[DUP];
  return PMPI_Comm_dup(comm, made);
}

int MPI_Finalize(void) {
  int rank, size;
  long sums[COUNTS];
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank != me || size != ranks) fprintf(stderr, "tool: rank %d of %d, not %d of %d\n", rank, size, me, ranks);
  PMPI_Reduce(counts, sums, COUNTS, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  long* all = malloc(sizeof counts * (size_t)ranks);
  PMPI_Gather(counts, COUNTS, MPI_LONG, all, COUNTS, MPI_LONG, 0, MPI_COMM_WORLD);
  for (int r = 0; me == 0 && r <= ranks; ++r) {
    printf(r < ranks ? "tool: rank %d" : "tool: sum %d", r);
    for (int i = 0; i < COUNTS; ++i) printf(" %ld", r < ranks ? all[r * COUNTS + i] : sums[i]);
    printf("\n");
  }
  free(all);
  if (own != MPI_COMM_NULL) PMPI_Comm_free(&own);
  return PMPI_Finalize();
}
