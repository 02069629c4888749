// What throws in the middle leaves vectors as they were, in part or in whole, and a handler goes on with that.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <vector>

namespace {

constexpr std::size_t kPoints = 5000;
using Vector = std::vector<double>;

double sum_of(const Vector& values) {
  double sum = 0;
  for (const double one : values) sum += one;
  return sum;
}

void replace(Vector& whole, Vector& in_part, int step) {
  std::size_t i = 0;
  for (double& one : in_part) {
    if (++i == 1000 && step % 2 == 1) throw std::runtime_error("in the middle");
    one = step;
  }
  whole.assign(step % 3 == 0 ? whole.max_size() : kPoints, step);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Vector whole(kPoints, 1), in_part(kPoints, 2), here(kPoints, 3), copied(kPoints, 4), before(kPoints, 5);
  double sum = 0;
  for (int step = 0; step < 9; ++step) {
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    std::fill(before.begin(), before.end(), step);
    try {
      here.assign(step % 2 == 0 ? here.max_size() : kPoints, step);
      copied = here;
    } catch (const std::exception&) {
      sum += sum_of(here) + sum_of(copied);
    }
    try {
      replace(whole, in_part, step);
    } catch (const std::exception&) {
      sum += 1;
    }
    sum += 1e-9 * (sum_of(whole) + sum_of(in_part) + sum_of(here) + sum_of(copied) + sum_of(before));
  }
  std::printf("%.17g\n", sum);
  MPI_Finalize();
}
