#line 1 "replaced.cpp"
// Vectors that each step replaces in whole by functions of the library: dead at the safe point, unless the step, another
// name or a handler reads what was there, or as many elements are not written as there are at the safe point.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>


#include <cppc/safe_points.h>
#line 12
namespace {

constexpr std::size_t kPoints = 20000;
using Vector = std::vector<double>;

struct Dead {
  Vector filled = Vector(kPoints), rim = Vector(kPoints), counted = Vector(kPoints), numbered = Vector(kPoints);
  Vector assigned = Vector(kPoints), from_range = Vector(kPoints), copied = Vector(kPoints), equal = Vector(kPoints);
  Vector moved = Vector(kPoints), cleared;
};

void replace(Dead& dead, const Vector& source, double x) {
  std::fill(dead.filled.begin(), dead.filled.end(), x);
  std::fill(dead.rim.begin() + 1, std::end(dead.rim), x);
  std::fill_n(dead.counted.data(), dead.counted.size(), x);
  std::iota(std::begin(dead.numbered), dead.numbered.end(), x);
  dead.assigned.assign(kPoints, x);
  dead.from_range.assign(source.begin(), source.end());
  std::copy(source.begin(), source.end(), dead.copied.begin());
  dead.equal = source;
  dead.moved = Vector(kPoints, x);
  dead.cleared.clear();
  for (std::size_t i = 0; i < kPoints; ++i) dead.cleared.push_back(x);
}

double sum_of(const Vector& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

struct Live {
  Vector read = Vector(kPoints, 1), of_itself = Vector(kPoints, 2), half = Vector(kPoints, 3);
  Vector perhaps = Vector(kPoints, 4), shrunk = Vector(kPoints, 5), gone = Vector(kPoints, 6);
  Vector itself = Vector(kPoints, 9), grown = Vector(kPoints, 10);
  std::vector<Vector> rows = std::vector<Vector>(3, Vector(kPoints, 11));
};

double keep(Live& live, int step) {
  const double sum = live.read[7];
  live.read.assign(kPoints, step);
  std::fill(live.of_itself.begin(), live.of_itself.end(), live.of_itself[7] + 1);
  std::fill(live.half.begin(), live.half.begin() + kPoints / 2, step);
  if (step % 3 == 1) live.perhaps.assign(kPoints, step);
  live.gone.clear();
  std::copy(live.gone.begin(), live.gone.end(), live.shrunk.begin());
  live.gone.assign(kPoints, step);
  const Vector& same = live.itself;
  live.itself = same;
  live.grown.resize(kPoints + static_cast<std::size_t>(step));
  std::fill(live.grown.begin() + kPoints, live.grown.end(), step);
  live.rows.assign(3, live.rows[2]);
  return sum + live.of_itself[3] + sum_of(live.half) + sum_of(live.perhaps) + sum_of(live.shrunk) +
         sum_of(live.itself) + sum_of(live.grown) + sum_of(live.rows[1]);
}

double read_first(const Vector& name, Vector& values, int step) {
  const double sum = name[9];
  std::fill(values.begin(), values.end(), step);
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Dead dead;
  Live live;
  const Vector source(kPoints, 3.0);
  Vector other_name(kPoints, 7);
  double sum = 0;
  for (int step = 0; step < 6; ++step) { if (cppc_safe_point(1)) { if (((dead.rim).end()) - (dead.rim.begin() + 1) > 0) cppc_dead_range(&*(dead.rim.begin() + 1), (size_t)(((dead.rim).end()) - (dead.rim.begin() + 1)) * sizeof(*(dead.rim.begin() + 1))); if ((dead.assigned).capacity() > 0) cppc_dead_range((dead.assigned).data(), (dead.assigned).capacity() * sizeof(*(dead.assigned).data())); if ((dead.cleared).capacity() > 0) cppc_dead_range((dead.cleared).data(), (dead.cleared).capacity() * sizeof(*(dead.cleared).data())); if ((dead.equal).capacity() > 0) cppc_dead_range((dead.equal).data(), (dead.equal).capacity() * sizeof(*(dead.equal).data())); if ((dead.filled.end()) - (dead.filled.begin()) > 0) cppc_dead_range(&*(dead.filled.begin()), (size_t)((dead.filled.end()) - (dead.filled.begin())) * sizeof(*(dead.filled.begin()))); if ((dead.from_range).capacity() > 0) cppc_dead_range((dead.from_range).data(), (dead.from_range).capacity() * sizeof(*(dead.from_range).data())); if ((dead.moved).capacity() > 0) cppc_dead_range_within((dead.moved).data(), (dead.moved).capacity() * sizeof(*(dead.moved).data()), (const void*)dead.moved.data(), 0, 0); if ((dead.numbered.end()) - ((dead.numbered).begin()) > 0) cppc_dead_range(&*((dead.numbered).begin()), (size_t)((dead.numbered.end()) - ((dead.numbered).begin())) * sizeof(*((dead.numbered).begin()))); if ((live.gone).capacity() > 0) cppc_dead_range((live.gone).data(), (live.gone).capacity() * sizeof(*(live.gone).data())); if ((live.half.begin() + ::kPoints / 2) - (live.half.begin()) > 0) cppc_dead_range(&*(live.half.begin()), (size_t)((live.half.begin() + ::kPoints / 2) - (live.half.begin())) * sizeof(*(live.half.begin()))); if ((long)(dead.counted.size()) > 0) cppc_dead_range(&*(dead.counted.data()), (size_t)(long)(dead.counted.size()) * sizeof(*(dead.counted.data()))); if ((source.end()) - (source.begin()) > 0) cppc_dead_range(&*(dead.copied.begin()), (size_t)((source.end()) - (source.begin())) * sizeof(*(dead.copied.begin()))); cppc_stop_here(); } 
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    replace(dead, source, sum);
    sum += 1e-9 * (keep(live, step) + read_first(other_name, other_name, step));
    sum += 1e-9 * (sum_of(dead.filled) + sum_of(dead.rim) + sum_of(dead.counted) + sum_of(dead.numbered) +
                   sum_of(dead.assigned) + sum_of(dead.from_range) + sum_of(dead.copied) + sum_of(dead.equal) +
                   sum_of(dead.moved) + sum_of(dead.cleared));
  }
  std::printf("%.17g\n", sum);
  MPI_Finalize();
}

