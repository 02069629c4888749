// FLAGS -O2 -std=c++17
// Loops that fill arrays make fewer passes than they seem to, or others: bounds and counters that change by other names,
// negative numbers that become large ones, numbers that wrap around, lambdas, and an exception of a function in C.
#include <string>
#include <vector>

#include "adversarial.h"

constexpr int N = 20000;
static double a[N], b[N], c[N], d[N], e[3][N], f[N], g[N], h[N];
static int counter;

static void step_on() { counter += 2; }

static void fill_from(double* to, unsigned char first, double value) {
  for (int i = 0; i < N / 3; i++) to[i + first] = i + value;
}

extern "C" __attribute__((noinline)) void check(int i) {
  if (i == 10) throw 1;
}

static double sum(const double* values) {
  double all = 0;
  for (int i = 0; i < N; i++) all += values[i] * (i % 7 + 1);
  return all;
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  for (int i = 0; i < N; i++) {
    a[i] = b[i] = c[i] = d[i] = f[i] = g[i] = h[i] = i * 1.5 + rank * 100 + 1;
    for (auto& row : e) row[i] = i + rank;
  }
  std::vector<double> w(N), less(N, 1.), more(N, 1.);
  for (int i = 0; i < N; i++) w[i] = rank + i;
  int last = N, first = 9300, low = 0;
  for (int it = 0; it < 10; it++) {
    const double t = gsum(it);
    [&] {
      for (int i = 0; i < last; i++) a[i] = i + t;
    }();
    for (counter = 0; counter < N; counter++) {
      b[counter] = it + counter;
      step_on();
    }
    int i = 0;
    int* const same = &i;
    for (i = 0; i < N; i++) {
      c[i] = it + i;
      *same += 2;
    }
    fill_from(d, static_cast<unsigned char>(first), t);
    for (unsigned j = 0; j < 3; j++)
      for (int k = 0; k < 100; k++) e[(j * 3000000001u) >> 31][k] = it + k;
    for (int k = low; static_cast<std::size_t>(k) < w.size(); k++) w[k] = it + k;
    for (int k = low; k < sizeof f / sizeof f[0]; k++) f[k] = it + k;
    try {
      for (int k = 0; k < N; k++) {
        g[k] = it + k;
        check(k);
      }
    } catch (int) {
    }
    double all = sum(a) + sum(b) + sum(c) + sum(d) + sum(e[0]) + sum(e[1]) + sum(f) + sum(g) + sum(h) + (less < more);
    for (const double x : w) all += x;
    printf("%d %d %.14g\n", rank, it, all);
    last = it % 2 ? N : 10;
    low = it % 2 ? 0 : -1;
    less.assign(N, it);
    more.assign(N, it);
    more[7] += it % 2;
  }
  MPI_Finalize();
  return 0;
}
