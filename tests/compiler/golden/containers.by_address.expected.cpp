#line 1 "containers.cpp"
// Containers that each step fills before it reads them, by what C++ has for that, and one that nobody reads any more.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>


#include <cppc/safe_points.h>
#line 11
namespace {

constexpr std::size_t kPoints = 1000;

class Field {
 public:
  explicit Field(std::size_t points) : values_(points) {}
  double& at(std::size_t i) { return values_[i]; }
  std::size_t size() const { return values_.size(); }

 private:
  std::vector<double> values_;
};

struct Model {
  std::vector<double> now = std::vector<double>(kPoints, 1.0), next = std::vector<double>(kPoints);
  std::array<double, kPoints> weights{};

  void step() {
    for (double& weight : weights) weight = 0.5;
    for (std::size_t i = 0; i < kPoints; ++i) next[i] = now[i] * weights[i];
    std::swap(now, next);
  }
};

void fill(Field& field, double value) {
  for (std::size_t i = 0; i < field.size(); ++i) field.at(i) = value;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Model model;
  Field field(kPoints);
  const std::vector<double> initial(kPoints, 3.0);
  std::vector<double> work(kPoints), assigned;
  double sum = initial[7];
  for (int step = 0; step < 100; ++step) { if (cppc_safe_point(1)) { if (((&model)->weights).size() > 0) cppc_dead_range(((&model)->weights).data(), ((&model)->weights).size() * sizeof(*((&model)->weights).data())); if ((long)(field.size()) > (long)0) cppc_dead_range(&(field.at(0)), (size_t)((long)(field.size()) - (long)0) * sizeof(field.at(0))); if ((work.end()) - (work.begin() + 1) > 0) cppc_dead_range(&*(work.begin() + 1), (size_t)((work.end()) - (work.begin() + 1)) * sizeof(*(work.begin() + 1))); if (assigned.capacity() > 0) cppc_dead_range(assigned.data(), assigned.capacity() * sizeof(*assigned.data())); cppc_stop_here(); } 
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    std::fill(work.begin() + 1, work.end(), sum);
    assigned.assign(kPoints, sum);
    fill(field, sum);
    model.step();
    sum += work[8] + assigned[9] + field.at(10) + model.now[11];
  }
  std::printf("%g\n", sum);
  MPI_Finalize();
}

