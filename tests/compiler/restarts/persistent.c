/* Persistent requests send a buffer that each step fills anew after it was sent. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
enum { N = 20000 };
static double out[N], in[N];
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Request r[2];
  MPI_Recv_init(in, N, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &r[0]);
  MPI_Send_init(out, N, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &r[1]);
  for (int i = 0; i < N; i++) out[i] = 1;
  double sum = 0;
  for (int step = 0; step < 12; step++) {
    MPI_Startall(2, r);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    sum += in[7] + in[N - 1];
    for (int i = 0; i < N; i++) out[i] = step + i;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  printf("%g\n", sum);
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
  MPI_Finalize();
  return 0;
}
