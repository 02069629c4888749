#line 1 "clocks.cpp"
// A step that looks at the clocks of std::chrono reads no more of the program for that: what it overwrites is dead.
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <vector>


#include <cppc/safe_points.h>
#line 8
constexpr std::size_t kPoints = 5000;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::vector<double> grid(kPoints, 1.0), scratch(kPoints);
  const auto began = std::chrono::system_clock::now();
  double sum = 0, seconds = 0;
  for (int step = 0; step < 100; ++step) { if (cppc_safe_point(1)) { if ((long)(::kPoints) > (long)0) cppc_dead_range(&(scratch[0]), (size_t)((long)(::kPoints) - (long)0) * sizeof(scratch[0])); cppc_stop_here(); } 
    const auto before = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < kPoints; ++i) scratch[i] = 2 * grid[i];
    for (std::size_t i = 0; i < kPoints; ++i) grid[i] = scratch[i] / 2;
    double mine = grid[step];
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  }
  const bool all = seconds <= std::chrono::duration<double>(std::chrono::system_clock::now() - began).count() + 60;
  std::printf("%g %d\n", sum, all);
  MPI_Finalize();
}

