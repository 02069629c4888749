// Reads that do not stand where they happen: in destructors, handlers, lambdas, virtual functions, references, static
// objects, iterators, and objects that the library destroys. What they read is not dead.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace {

constexpr int kPoints = 20000;
double seen = 0;

double sum_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

/// Reads at the end of its scope what it refers to.
struct Reader {
  const std::vector<double>& values;
  explicit Reader(const std::vector<double>& of) : values(of) {}
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { seen += sum_of(values); }
};

struct Shape {
  virtual ~Shape() = default;
  virtual void look(std::vector<double>& values) = 0;
};
struct Filler : Shape {
  void look(std::vector<double>& values) override {
    for (int i = 0; i < kPoints; ++i) values[i] = i;
  }
};
struct Adder : Shape {
  void look(std::vector<double>& values) override {
    for (int i = 0; i < kPoints; ++i) values[i] += 1;
  }
};

void may_fail(int step, std::vector<double>& values) {
  if (step % 4 == 2) throw std::runtime_error("in the middle");
  for (int i = 0; i < kPoints; ++i) values[i] = step;
}

std::vector<double>& static_values() {
  static std::vector<double> values(kPoints, 0.5);
  return values;
}

struct Last {
  std::vector<double> values = std::vector<double>(kPoints, 3.0);
  ~Last() { std::printf("last %.17g\n", sum_of(values)); }
};
Last last;

std::vector<double> moved_from(std::vector<double>&& values) { return std::move(values); }

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::vector<double> read_at_end(kPoints, 1), caught(kPoints, 2), captured(kPoints, 3), virtually(kPoints, 4);
  std::vector<double> iterated(kPoints, 5), one(kPoints, 6), other(kPoints, 7), called(kPoints, 8);
  std::vector<double>* const alias = &iterated;
  const auto look = [&captured] { seen += sum_of(captured); };
  const std::function<void(double)> add = [&called](double value) {
    for (double& one_of_them : called) one_of_them += value;
  };
  std::unique_ptr<Shape> shapes[2] = {std::make_unique<Filler>(), std::make_unique<Adder>()};
  for (int step = 0; step < 20; ++step) {
    MPI_Allreduce(MPI_IN_PLACE, &seen, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    {
      const Reader reader(read_at_end);
      seen += 1;
    }
    for (int i = 0; i < kPoints; ++i) read_at_end[i] = i + step;
    try {
      may_fail(step, caught);
    } catch (const std::exception&) {
      seen += sum_of(caught);
    }
    look();
    for (int i = 0; i < kPoints; ++i) captured[i] = step;
    shapes[step % 2]->look(virtually);
    for (double& value : *alias) value += 1;
    for (int i = 0; i < kPoints; ++i) iterated[i] = iterated[i] / 2;
    std::vector<double> taken = moved_from(std::move(one));
    one = std::move(other);
    for (int i = 0; i < kPoints; ++i) one[i] += taken[i];
    other = std::move(taken);
    add(1);
    std::vector<double>& values = static_values();
    seen += std::accumulate(values.begin(), values.end(), 0.0) * 1e-6;
    for (int i = 0; i < kPoints; ++i) values[i] = step;
    for (int i = 0; i < kPoints; ++i) last.values[i] += step;
  }
  std::printf("%.17g %.17g %.17g\n", seen, sum_of(virtually) + sum_of(iterated), sum_of(one) + sum_of(other) + sum_of(called));
  MPI_Finalize();
}
