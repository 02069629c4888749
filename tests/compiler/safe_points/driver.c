/* Repetitions whose requests cannot be shown to be complete, and the time steps inside, in a function that another one
 * calls: both get a safe point, although neither is proved.
 */
#include <mpi.h>
#include <stdlib.h>

enum { N = 100000 };
static double a[N], w[N];
static MPI_Request request = MPI_REQUEST_NULL;

static void step(int me, int size) {
  double received[100], sum = a[0], all;
  for (int i = 0; i < N; ++i) w[i] = 0.5 * a[i];
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Isend(w, 100, MPI_DOUBLE, (me + 1) % size, 7, MPI_COMM_WORLD, &request);
  MPI_Recv(received, 100, MPI_DOUBLE, (me + size - 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < N; ++i) a[i] += 1e-6 * w[i] + received[0];
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void work(int steps) {
  int me, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < steps; ++i) step(me, size);
}

static void model(int number) {
  a[number] = number;
  work(1000);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int times = argc > 1 ? atoi(argv[1]) : 1;
  for (int i = 0; i < times; ++i) model(i);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Finalize();
}
