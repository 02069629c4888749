// FLAGS -O2 -std=c++20
// Code that runs because something is thrown: destructors of exceptions, of members and elements that are there already,
// what a constructor's handler does.
#include <mpi.h>

#include <cstdio>

constexpr int n = 4000;
static double by_exception[n], by_copy[n], by_member[n], by_base[n], by_element[n], by_handler[n];
static double seen;

template <auto& a>
void look_at() {
  for (int i = 0; i < n; ++i) seen += a[i] * (i % 13 + 1);
}

struct Failure {
  Failure() = default;
  Failure(const Failure&) { look_at<by_copy>(); }
  ~Failure() { look_at<by_exception>(); }
};

struct Member {
  ~Member() { look_at<by_member>(); }
};

struct Base {
  ~Base() { look_at<by_base>(); }
};

struct Unlucky : Base {
  explicit Unlucky(int step) {
    if (step % 2 != 0) throw step;
  }
};

struct Throws {
  Member member;
  ~Throws() noexcept(false) { throw 1; }
};

struct Element {
  static int made;
  Element() {
    if (made++ % 3 == 1) throw 1;
  }
  ~Element() { look_at<by_element>(); }
};
int Element::made;

static int checked(int step) {
  if (step % 2 != 0) throw 1;
  return step;
}

struct Handled {
  int value;
  explicit Handled(int step) try : value(checked(step)) {
  } catch (...) {
    look_at<by_handler>();
  }
};

static double provoke(int step) {
  double sum = 0;
  try {
    throw Failure();
  } catch (Failure) {
    sum += 1;
  }
  try {
    Unlucky one(step);
    sum += 2;
  } catch (int) {
    sum += 3;
  }
  try {
    Throws one;
    sum += 4;
  } catch (int) {
    sum += 5;
  }
  Element::made = 0;
  try {
    delete[] new Element[3];
  } catch (int) {
    sum += 6;
  }
  try {
    sum += Handled(step).value;
  } catch (int) {
    sum += 7;
  }
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < n; ++i)
    by_exception[i] = by_copy[i] = by_member[i] = by_base[i] = by_element[i] = by_handler[i] = i + rank;
  double sum = 0;
  for (int step = 0; step < 12; ++step) {
    double all = 0;
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    sum += provoke(step) + seen * 1e-3 + all * 1e-9;
    for (int i = 0; i < n; ++i) by_exception[i] = step + i;
    for (int i = 0; i < n; ++i) by_copy[i] = step - i;
    for (int i = 0; i < n; ++i) by_member[i] = step * i;
    for (int i = 0; i < n; ++i) by_base[i] = step + 2 * i;
    for (int i = 0; i < n; ++i) by_element[i] = step + 3 * i;
    for (int i = 0; i < n; ++i) by_handler[i] = step + 4 * i;
  }
  std::printf("rank %d: %.17g\n", rank, sum);
  MPI_Finalize();
  return 0;
}
