// FLAGS -O2 -std=c++17
// As inplace, by a template and by a method that fills a vector.
#include <vector>

#include "adversarial.h"

template <class T>
void sum(const T* from, T* to, int count) {
  MPI_Allreduce(from != nullptr ? from : MPI_IN_PLACE, to, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

struct Group {
  void sum(const void* from, std::vector<double>& to) {
    MPI_Allreduce(from, to.data(), static_cast<int>(to.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
};

int main(int argc, char** argv) {
  start(&argc, &argv);
  std::vector<double> a(20000), b(20000);
  Group group;
  for (int i = 0; i < 20000; i++) a[i] = rank + i, b[i] = rank - i;
  for (int it = 1; it <= 10; it++) {
    sum<double>(nullptr, a.data(), 20000);
    group.sum(MPI_IN_PLACE, b);
    printf("%d %d %.17g\n", rank, it, gsum(a[5] + b[7]));
    for (double& x : a) x = x / 2 + rank;
    for (double& x : b) x = x / 2 - rank;
  }
  MPI_Finalize();
  return 0;
}
