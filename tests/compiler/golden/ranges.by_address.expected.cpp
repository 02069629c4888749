#line 1 "ranges.cpp"
// Vectors and arrays that each step overwrites by loops over their elements, and by names that refer to them: dead at the
// safe point, unless an element keeps what it had or is read first.
#include <mpi.h>

#include <array>
#include <cstdio>
#include <vector>


#include <cppc/safe_points.h>
#line 9
namespace {

constexpr std::size_t kPoints = 5000;
using Vector = std::vector<double>;

struct Base {
  double weight = 0;
};
struct Particle : Base {
  double charge = 0;
};

double array[kPoints], matrix[3][kPoints];

struct Dead {
  Vector filled = Vector(kPoints), by_index = Vector(kPoints), by_name = Vector(kPoints);
  std::array<double, kPoints> fixed{};
  std::vector<Vector> rows = std::vector<Vector>(3, Vector(kPoints));
  Vector by_method = Vector(kPoints);

  void overwrite(double x) {
    auto& mine = by_method;
    for (double& one : mine) one = x;
  }
};

void overwrite(Dead& dead, double x) {
  for (auto& one : dead.filled) one = x;
  for (double& one : dead.fixed) one = x;
  for (double& one : array) one = x;
  for (auto& row : matrix)
    for (auto& one : row) one = x;
  for (auto& row : dead.rows)
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = x;
  Vector& name = dead.by_name;
  for (std::size_t i = 0; i < name.size(); ++i) name[i] = x;
  dead.overwrite(x);
}

template <class Values>
double sum_of(const Values& values) {
  double sum = 0;
  for (const double one : values) sum += one;
  return sum;
}

struct Live {
  Vector read = Vector(kPoints, 1), copied = Vector(kPoints, 6);
  Vector neighbour = Vector(kPoints, 7), one_row = Vector(kPoints, 8);
  std::vector<Particle> particles = std::vector<Particle>(kPoints);
  std::vector<Vector> rows = std::vector<Vector>(3, Vector(kPoints, 10));
};

void stop(Vector& values, int step) {
  std::size_t i = 0;
  for (double& one : values) {
    if (i++ == kPoints / 2) break;
    one = step;
  }
}

void skip(Vector& values, int step) {
  std::size_t i = 0;
  for (double& one : values) {
    if (i++ % 3 == 0) continue;
    one = step;
  }
}

void write_perhaps(Vector& values, int step) {
  for (double& one : values)
    if (step > 3) one = step;
}

double keep(Live& live, int step) {
  for (double& one : live.read) one = one * 0.5 + step;
  for (double one : live.copied) live.read[0] += one = step;
  for (std::size_t i = 0; i + 1 < kPoints; ++i) live.neighbour[i] = live.neighbour[i + 1];
  for (Base& one : live.particles) one = Base{1.0 * step};
  Vector& row = live.rows[static_cast<std::size_t>(step) % 3];
  for (double& one : row) one = step;
  std::size_t which = 0;
  Vector& first = live.rows[which];
  which = 1;
  double sum = 0;
  for (const Particle& one : live.particles) sum += one.charge;
  for (Particle& one : live.particles) one.charge += step;
  return sum + sum_of(first) + sum_of(live.rows[which]) + sum_of(live.read) +
         sum_of(live.copied) + sum_of(live.neighbour) + sum_of(live.rows[2]);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Dead dead;
  Live live;
  Vector before(kPoints), behind(kPoints), changed(kPoints, 11);
  Vector stopped(kPoints, 2), skipped(kPoints, 3), perhaps(kPoints, 5);
  Vector& name = before;
  double sum = 0;
  int which = 0;
  for (int step = 0; step < 6; ++step) { if (cppc_safe_point(1)) { for (auto& cppc_0 : (::matrix)) if (1) cppc_dead_range(&cppc_0[0], sizeof cppc_0); if ((dead.filled).size() > 0) cppc_dead_range((dead.filled).data(), (dead.filled).size() * sizeof(*(dead.filled).data())); if (1) cppc_dead_range(&(::array)[0], sizeof (::array)); if (behind.size() > 0) cppc_dead_range(behind.data(), behind.size() * sizeof(*behind.data())); if (name.size() > 0) cppc_dead_range(name.data(), name.size() * sizeof(*name.data())); cppc_stop_here(); } 
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    overwrite(dead, sum);
    for (double& one : name) one = sum;
    Vector& later = behind;
    for (double& one : later) one = sum;
    Vector& one_of_two = which == 0 ? changed : live.one_row;
    for (double& one : one_of_two) one = step;
    which = step % 3;
    stop(stopped, step);
    skip(skipped, step);
    write_perhaps(perhaps, step);
    sum += keep(live, step) * 1e-9 + sum_of(array) + sum_of(matrix[1]) + sum_of(dead.filled) + sum_of(dead.fixed) +
           sum_of(dead.rows[2]) + sum_of(dead.by_name) + sum_of(dead.by_method) + sum_of(before) + sum_of(behind) +
           sum_of(changed) + sum_of(live.one_row) + sum_of(stopped) + sum_of(skipped) + sum_of(perhaps);
    sum *= 1e-3;
  }
  std::printf("%.17g\n", sum);
  MPI_Finalize();
}

