/// Two halves of the ranks that never communicate with each other: after the start no collective operation is all
/// ranks'. Each half adds up numbers over and over, of a table that every step changes, until the file exists that the
/// argument names. Checks what has become of the table.
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "program.hpp"

namespace {

constexpr std::size_t kNumbers = 1000000;

class Half {
 public:
  Half() : numbers_(kNumbers) {
    MPI_Comm_split(MPI_COMM_WORLD, response::rank_of(MPI_COMM_WORLD) % 2, 0, &ranks_);
    MPI_Comm_size(ranks_, &size_);
  }
  Half(const Half&) = delete;
  Half& operator=(const Half&) = delete;
  ~Half() { MPI_Comm_free(&ranks_); }

  [[nodiscard]] bool stop_requested(const char* file) const { return response::stop_requested(file, ranks_); }

  void step() {
    ++steps_;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < kNumbers; ++i) sum += numbers_[i] += static_cast<std::int64_t>(i % 7);
    std::int64_t all = 0;
    MPI_Allreduce(&sum, &all, 1, MPI_INT64_T, MPI_SUM, ranks_);
    wrong_ += all != size_ * sum;
  }

  [[nodiscard]] long wrong() const {
    long wrong = wrong_;
    for (std::size_t i = 0; i < kNumbers; ++i) wrong += numbers_[i] != steps_ * static_cast<std::int64_t>(i % 7);
    return wrong;
  }

 private:
  MPI_Comm ranks_ = MPI_COMM_NULL;
  int size_ = 0;
  std::vector<std::int64_t> numbers_;
  std::int64_t steps_ = 0;
  long wrong_ = 0;
};

int work(const char* file) {
  Half half;
  response::print_working();
  while (!half.stop_requested(file)) {
    half.step();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return response::print_result(half.wrong());
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = argc == 2 ? work(argv[1]) : 2;
  MPI_Finalize();
  return status;
}
