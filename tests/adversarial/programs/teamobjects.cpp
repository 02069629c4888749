// FLAGS -O2 -fopenmp -std=c++20
// Thread-local objects of the threads of OpenMP, with destructors, which run when a thread ends: in smaller teams.
#include <omp.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "adversarial.hpp"

namespace {

int ended = 0;

struct Memory {
  std::string name = "t" + std::to_string(omp_get_thread_num());  // short: it points to itself
  std::map<int, std::vector<int>> numbers;                        // so does its end
  std::mt19937 random{static_cast<unsigned>(omp_get_thread_num())};
  ~Memory() {
#pragma omp atomic
    ++ended;
  }
};

thread_local Memory memory;

}  // namespace

int main(int argc, char** argv) {
  start(&argc, &argv);
  omp_set_dynamic(0);
  for (int step = 0; step < 12; ++step) {
    const int threads = step < 9 ? 4 : 2;
    std::vector<std::string> found(4);
#pragma omp parallel num_threads(threads)
    {
      memory.numbers[step].push_back(static_cast<int>(memory.random() % 1000));
      memory.name += 'x';
      auto& text = found[static_cast<std::size_t>(omp_get_thread_num())];
      text = memory.name + ' ' + std::to_string(memory.numbers.size());
      for (const auto& [key, values] : memory.numbers) text += ' ' + std::to_string(values.front());
    }
    gsum(step);
    for (const auto& text : found) std::printf("%d %d %s\n", rank, step, text.c_str());
  }
  MPI_Finalize();
}
