/// Ranks compute for as many seconds as the first argument says without calling anything, communicate, and do that
/// again until the file exists that the third argument names: all of them, or just the first, for which the others
/// wait, as the second argument says: all or one. Each checks what it has computed.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "program.hpp"

namespace {

constexpr std::uint64_t kFactor = 6364136223846793005U;
constexpr std::uint64_t kSummand = 1442695040888963407U;

/// `count` steps of a generator of random numbers, one by one.
[[gnu::noinline]] std::uint64_t compute(std::uint64_t state, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) state = state * kFactor + kSummand;
  return state;
}

/// The same by squaring.
std::uint64_t jump(std::uint64_t state, std::uint64_t count) {
  std::uint64_t factor = kFactor;
  std::uint64_t summand = kSummand;
  for (; count > 0; count /= 2) {
    if (count % 2 == 1) state = state * factor + summand;
    summand *= factor + 1;
    factor *= factor;
  }
  return state;
}

/// Steps that take about so long, the same on all ranks.
std::uint64_t steps_in(double seconds) {
  constexpr std::uint64_t trial = 50'000'000;
  volatile std::uint64_t start = 1;
  const auto began = std::chrono::steady_clock::now();
  volatile std::uint64_t result = compute(start, trial);
  static_cast<void>(result);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began;
  auto steps = static_cast<std::uint64_t>(static_cast<double>(trial) * seconds / taken.count());
  MPI_Bcast(&steps, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  return steps;
}

int work(double seconds, bool all, const char* file) {
  const std::uint64_t as_long = steps_in(seconds);
  const std::uint64_t steps = all || response::rank_of(MPI_COMM_WORLD) == 0 ? as_long : 0;
  auto state = static_cast<std::uint64_t>(response::rank_of(MPI_COMM_WORLD));
  std::uint64_t expected = state;
  MPI_Barrier(MPI_COMM_WORLD);
  response::print_working();
  while (!response::stop_requested(file, MPI_COMM_WORLD)) {
    state = compute(state, steps);
    expected = jump(expected, steps);
  }
  return response::print_result(state == expected ? 0 : 1);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = argc == 4 ? work(std::atof(argv[1]), std::string_view(argv[2]) == "all", argv[3]) : 2;
  MPI_Finalize();
  return status;
}
