// FLAGS -O2 -Wl,--no-as-needed -lfftw3_threads -lfftw3
// Plans that work with threads of the library's own, which it keeps between the steps.
#include <fftw3.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { kSide = 64 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fftw_init_threads();
  fftw_plan_with_nthreads(3);
  fftw_complex* grid = fftw_alloc_complex(kSide * kSide);
  fftw_plan there = fftw_plan_dft_2d(kSide, kSide, grid, grid, FFTW_FORWARD, FFTW_ESTIMATE);
  fftw_plan back = fftw_plan_dft_2d(kSide, kSide, grid, grid, FFTW_BACKWARD, FFTW_ESTIMATE);
  for (int i = 0; i < kSide * kSide; ++i) {
    grid[i][0] = sin(i * 0.37 + rank);
    grid[i][1] = 0;
  }
  for (int step = 0; step < 10; ++step) {
    fftw_execute(there);
    for (int i = 0; i < kSide * kSide; ++i) {
      grid[i][0] /= kSide * kSide;
      grid[i][1] /= kSide * kSide;
    }
    fftw_execute(back);
    double sum = 0;
    MPI_Allreduce(&grid[3 * step + 1][0], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("%d %.17g\n", step, sum);
  }
  fftw_destroy_plan(there);
  fftw_destroy_plan(back);
  fftw_cleanup_threads();
  fftw_free(grid);
  MPI_Finalize();
  return 0;
}
