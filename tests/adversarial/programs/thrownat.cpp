// FLAGS -O2 -std=c++17
// Exceptions of at() and of dynamic_cast, in the midst of the loop that fills an array and before it: the handler goes on
// with what the array had.
#include <array>
#include <memory>
#include <vector>

#include "adversarial.h"

constexpr int N = 20000;
struct Base {
  virtual ~Base() = default;
};
struct Derived : Base {
  int value = 4;
};

static std::vector<double> a(N), b(N), c(N), d(N), e(N);
static std::array<double, N / 2> half{};

int main(int argc, char** argv) {
  start(&argc, &argv);
  for (int i = 0; i < N; i++) a[i] = b[i] = c[i] = d[i] = e[i] = rank + i;
  std::vector<double> few(N / 2, 3.);
  const std::unique_ptr<Base> objects[] = {std::make_unique<Derived>(), std::make_unique<Base>()};
  for (int it = 1; it <= 10; it++) {
    double s = 0;
    try {
      for (int i = 0; i < N; i++) a[i] = few.at(i);
    } catch (...) {
      a[1] = 5;
    }
    try {
      for (int i = 0; i < N; i++) b[i] = half.at(i);
    } catch (...) {
      b[1] = 5;
    }
    try {
      for (int i = 0; i < N; i++) c[i] = dynamic_cast<Derived&>(*objects[i / (N / 2)]).value + i;
    } catch (...) {
      c[1] = 5;
    }
    try {
      s += few.at(it * N / 8);
      for (int i = 0; i < N; i++) d[i] = it;
    } catch (...) {
      s += 7;
    }
    try {
      s += dynamic_cast<Derived&>(*objects[it > 4]).value;
      for (int i = 0; i < N; i++) e[i] = it;
    } catch (...) {
      s += 7;
    }
    for (int i = 0; i < N; i++) s += a[i] + b[i] + c[i] + d[i] + e[i];
    printf("%d %d %.17g\n", rank, it, gsum(s));
    a[N - 1] = b[N - 1] = c[N - 1] = d[N - 1] = e[N - 1] = it;
  }
  MPI_Finalize();
  return 0;
}
