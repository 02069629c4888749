// FLAGS -O2 -Wl,--no-as-needed -ljemalloc
// new and delete of another allocator, whose delete of arrays calls free().
#include <string>

#include "adversarial.hpp"

int main(int argc, char** argv) {
  start(&argc, &argv);
  std::string text;
  for (int step = 0; step < 12; ++step) {
    text += std::string(100, 'x');
    delete[] new char[1000];
    gsum(step);
    std::cout << rank << ' ' << text.size() << '\n';
  }
  MPI_Finalize();
}
