// FLAGS -O2
// Addresses that come back in messages: from a neighbour, through a window, packed.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 4096 };

struct ticket {
  double *owner;
  int rank;
};

static double by_message[N], by_window[N], by_packing[N];

static void fill(double *a, int step) {
  for (int i = 0; i < N; ++i) a[i] = step * 0.5 + i;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;

  struct ticket mine = {by_message, rank}, theirs, back;
  MPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, right, 1, &theirs, sizeof theirs, MPI_BYTE, left, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(&theirs, sizeof theirs, MPI_BYTE, left, 2, &back, sizeof back, MPI_BYTE, right, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  const double *const message = back.owner;

  double **shelf, *address = by_window;
  MPI_Win window;
  MPI_Win_allocate(sizeof *shelf, sizeof *shelf, MPI_INFO_NULL, MPI_COMM_WORLD, &shelf, &window);
  MPI_Win_fence(0, window);
  MPI_Put(&address, 1, MPI_UINT64_T, rank, 0, 1, MPI_UINT64_T, window);
  MPI_Win_fence(0, window);
  const double *const put = *shelf;

  char packed[64];
  int position = 0;
  double *pointer = by_packing, *unpacked;
  MPI_Pack(&pointer, sizeof pointer, MPI_BYTE, packed, sizeof packed, &position, MPI_COMM_WORLD);
  position = 0;
  MPI_Unpack(packed, sizeof packed, &position, &unpacked, sizeof unpacked, MPI_BYTE, MPI_COMM_WORLD);

  fill(by_message, 0);
  fill(by_window, 1);
  fill(by_packing, 2);
  double sum = 0;
  for (int step = 0; step < 12; ++step) {
    double all = 0;
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < N; i += 7) sum += message[i] + 2 * put[i] + 3 * unpacked[i] + 1e-6 * all;
    fill(by_message, step);
    fill(by_window, step + 1);
    fill(by_packing, step + 2);
    sum += by_message[step] + by_window[step] + by_packing[step];
  }
  printf("rank %d: %.17g %s\n", rank, sum, theirs.rank == left ? "ok" : "wrong");
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
