// Memory of containers that each step fills before it reads it, by index, through members, by accessors and templates:
// it is dead at the safe point. What the step reads first is not.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <vector>

namespace model {

constexpr int kPoints = 20000;

template <typename Number>
class Column {
 public:
  explicit Column(int size) : values_(static_cast<std::size_t>(size)) {}
  Number& operator[](int i) { return values_[static_cast<std::size_t>(i)]; }
  const Number& operator[](int i) const { return values_[static_cast<std::size_t>(i)]; }
  int size() const { return static_cast<int>(values_.size()); }

 private:
  std::vector<Number> values_;
};

struct Grid {
  std::vector<double> now, next, flux;
  std::unique_ptr<double[]> weights{new double[kPoints]};
  Grid() : now(kPoints, 1.0), next(kPoints), flux(kPoints) {
    for (int i = 0; i < kPoints; ++i) weights[i] = 1.0 / (i + 1);
  }
};

void find_flux(Grid& grid) {
  for (int i = 0; i < kPoints; ++i) grid.flux[i] = grid.now[i] * grid.weights[i];
}

void advance(Grid& grid) {
  find_flux(grid);
  for (int i = 0; i < kPoints; ++i) grid.next[i] = grid.now[i] + grid.flux[i] / 3;
  for (int i = 0; i < kPoints; ++i) grid.now[i] = grid.next[i];
}

}  // namespace model

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = model::kPoints;
  model::Grid grid;
  model::Column<double> column(n), kept(n);
  for (int i = 0; i < n; ++i) kept[i] = i;
  std::vector<double> work(n), history(n);
  std::vector<std::vector<double>> rows(3, std::vector<double>(n, 2.0));
  double sum = 0;
  for (int step = 0; step < 20; ++step) {
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    model::advance(grid);
    for (int i = 0; i < n; ++i) work[i] = grid.now[i] + rows[1][i];
    for (int i = 0; i < n; ++i) column[i] = work[i] + kept[i];
    for (int i = 0; i < n; ++i) history[i] += column[i];
    rows[step % 3].swap(rows[0]);
    rows[2] = rows[1];
    for (int i = 0; i < n; ++i) sum += history[i] * 1e-9;
  }
  std::printf("%.17g %.17g\n", sum, grid.now[7] + kept[3] + rows[0][5] + rows[2][1]);
  MPI_Finalize();
}
