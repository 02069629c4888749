/* Messages without a counterpart everywhere, and a start with loops as deep as those of the time steps: these call more
   of the program. */
#include <mpi.h>

static double a[64][64], b[64][64];

static void tell(int what) {
  if (what < 0) MPI_Send(&what, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
}

static void read_tables(int n, int m) {
  for (int table = 0; table < n; table++)
    for (int i = 0; i < m; i++)
      for (int k = 0; k < m; k++) {
        a[i][k] += table * i + k;
        tell(m);
        b[i][k] += a[k][i];
      }
}

static void advance(int n) {
  for (int i = 0; i < n; i++) {
    a[i][0] += 0.5 * b[i][1];
    a[i][1] += 0.5 * b[i][0];
    a[i][2] += 0.5 * b[i][3];
    a[i][3] += 0.5 * b[i][2];
    tell(n);
  }
}

static void exchange(int n) {
  for (int i = 0; i < n; i++) {
    b[i][0] = a[i][1];
  }
  tell(n);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  tell(argc);
  read_tables(argc, 8 * argc);
  for (int step = 0; step < 100 * argc; step++) {
    advance(argc);
    for (int i = 0; i < argc; i++) exchange(argc);
  }
  MPI_Finalize();
  return 0;
}
