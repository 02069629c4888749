// Arrays that only destructors of objects without a name read, and lambdas that are pointers to functions; numbers that
// are given by reference; std::fill() of pointers.
#include <mpi.h>

#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace {

constexpr int kMany = 3000;
double of_destructor[kMany], of_lambda[kMany], of_deleter[kMany], of_fill[kMany];
std::complex<double> numbers[kMany];
double seen = 0;

double sum_of(const double* values) {
  double sum = 0;
  for (int i = 0; i < kMany; ++i) sum += values[i];
  return sum;
}

class Guard {
 public:
  explicit Guard(int weight) : weight_(weight) {}
  ~Guard() { seen += weight_ * sum_of(of_destructor); }

 private:
  int weight_;
};

Guard made(int weight) { return Guard(weight); }

struct Iterator {
  int at = 0;
  Guard operator++(int) { return Guard(++at); }
};

void fill(double* values, double value) {
  for (int i = 0; i < kMany; ++i) values[i] = value + i;
}

}  // namespace

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (double* values : {of_destructor, of_lambda, of_deleter, of_fill}) fill(values, rank);
  for (int i = 0; i < kMany; ++i) numbers[i] = {1.0 * i, 1.0 * rank};
  int sorted[] = {3, 1, 2};
  const double* ways[4] = {};
  std::fill(ways, ways + 4, of_fill);
  Iterator iterator;
  for (int it = 1; it <= 10; ++it) {
    seen = 0;
    Guard(2);
    (void)made(3);
    it % 2 ? Guard(4) : Guard(5);
    iterator++;
    std::qsort(sorted, 3, sizeof sorted[0], [](const void* a, const void* b) {
      seen += sum_of(of_lambda);
      return *static_cast<const int*>(a) - *static_cast<const int*>(b);
    });
    { const std::unique_ptr<int, void (*)(int*)> owner(&it, [](int*) { seen += 7 * sum_of(of_deleter); }); }
    for (int i = 0; i < kMany; ++i) seen += std::abs(numbers[i]);
    seen += 11 * sum_of(ways[it % 4]);
    double all;
    MPI_Allreduce(&seen, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (double* values : {of_destructor, of_lambda, of_deleter}) fill(values, it);
    fill(of_fill, it);
    for (int i = 0; i < kMany; ++i) numbers[i] = {1.0 * it, 1.0 * i};
    std::printf("%d %d %.17g\n", rank, it, all);
  }
  MPI_Finalize();
}
