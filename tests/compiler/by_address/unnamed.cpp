// Bounds of loops that are enumerators of types without names.
#include <mpi.h>

#include <cstdio>
#include <vector>

enum { points = 20000 };

struct Grid {
  enum { width = 20000 };
};

int main(int argc, char** argv) {
  enum { local = 20000 };
  MPI_Init(&argc, &argv);
  std::vector<double> a(points), b(points), c(points);
  double sum = 0;
  for (int step = 0; step < 10; ++step) {
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 0; i < points; i++) a[i] = step;
    for (int i = 0; i < Grid::width; i++) b[i] = step;
    for (int i = 0; i < local; i++) c[i] = step;
    for (int i = 0; i < points; i++) sum += a[i] + b[i] + c[i];
  }
  std::printf("%g\n", sum);
  MPI_Finalize();
}
