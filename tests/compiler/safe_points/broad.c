/* A setup that communicates, with loops that may cost more than all time steps; these call as much of the program. */
#include <mpi.h>

static double a[64][64], b[64][64];

static int cells_left(int n) {
  int found = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++)
          for (int m = 0; m < n; m++)
            if (a[i][j] > b[k][l] + m) found++;
  return found;
}

static void search_cells(int n) {
  int found = 1;
  while (found > 0) {
    found = cells_left(n);
    MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
}

static void step(int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) a[i][1] = 0.5 * b[i][0];
  for (int i = 0; i < n; i++) b[i][0] += 0.5 * a[i][1];
  MPI_Allreduce(&b[0][0], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  b[1][0] += sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc > 7) search_cells(argc);
  for (int i = 0; i < 100 * argc; i++) step(argc);
  MPI_Finalize();
  return 0;
}
