/// Each rank computes for itself, without any call of MPI; then once more, and compares. Vector registers, those of the
/// x87 unit and integers are in use at any moment, a sort works in the C library and the program in turn.
///
/// Such a rank can be moved only if it is stopped in the midst of its arithmetic.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "app.hpp"

namespace {

constexpr char kHelp[] =
    "Usage: alone [--steps S] [--until FILE]\n"
    "Each rank computes without a call of MPI, then once more, and compares.\n"
    "  --steps S     of each rank, at the most (100)\n"
    "  --until FILE  fewer, when FILE exists\n"
    "Exit status: 0 right, 1 wrong, 2 wrong usage.\n"
    "Example:\n"
    "  mpirun -n 4 alone --steps 1000\n";

class Work {
 public:
  explicit Work(int rank) : hash_(DIGEST_START + static_cast<std::uint64_t>(rank)) {
    for (std::size_t i = 0; i < kLength; ++i) {
      falling_[i] = static_cast<double>(i + static_cast<std::size_t>(rank));
      rising_[i] = static_cast<double>(kLength - i);
    }
  }

  void step() {
    for (int round = 0; round < 2000; ++round) {
      for (std::size_t i = 0; i < kLength; ++i) falling_[i] = falling_[i] * 0.999 + rising_[i] * 1e-3;
      long_ = long_ * 1.0000001L + falling_[hash_ % kLength];
      if (long_ > 1e6L) long_ = std::sqrt(long_);
      hash_ = (hash_ ^ static_cast<std::uint64_t>(long_ * 1e3L)) * 1099511628211U;
    }
    std::qsort(falling_.data(), kLength, sizeof(double), [](const void* left, const void* right) {
      const double a = *static_cast<const double*>(left), b = *static_cast<const double*>(right);
      return (a > b) - (a < b);
    });
  }

  [[nodiscard]] std::uint64_t digest() const {
    return digest_doubles(digest_word(hash_, static_cast<std::uint64_t>(long_ * 1e3L)), falling_.data(), kLength);
  }

 private:
  static constexpr std::size_t kLength = 512;
  std::array<double, kLength> falling_{}, rising_{};
  long double long_ = 1;
  std::uint64_t hash_;
};

bool ends(const char* file) { return file != nullptr && access(file, F_OK) == 0; }

int run(const app::Options& options) {
  const int rank = app::rank_of(MPI_COMM_WORLD);
  if (rank == 0) {
    std::puts("working");
    std::fflush(stdout);
  }
  Work work(rank);
  long steps = 0;
  for (; steps < options.steps && !ends(options.file); ++steps) work.step();
  Work again(rank);
  for (long step = 0; step < steps; ++step) again.step();
  const long wrong = app::sum_of(work.digest() == again.digest() ? 0 : 1);
  return tell("alone", digest_ranks(options.file == nullptr ? work.digest() : 0, MPI_COMM_WORLD), wrong == 0,
              "%ld ranks have computed something else than before", wrong);
}

}  // namespace

int main(int argc, char** argv) {
  const app::Options options = app::read_options(argc, argv, 100, 1'000'000'000, "until");
  MPI_Init(&argc, &argv);
  const int status = ends_here(&options.usage) ? explain(&options.usage, "alone", kHelp) : run(options);
  MPI_Finalize();
  return status;
}
