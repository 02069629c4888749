/// Two halves of the ranks that share no collective operation while they work: in the lower one a master hands numbers
/// to workers, which wait for them in blocking receives; the upper one sums numbers up in a communicator of its own.
/// Only messages from rank 0 to the first rank of the upper half keep the two in step.
///
/// Nothing here is a place where all ranks come together, so they can be moved only if each can be stopped at any call.
#include <cstdint>

#include "app.hpp"

namespace {

constexpr char kHelp[] =
    "Usage: halves [--steps S] [--hold FILE --hold-at K]\n"
    "A master with workers in one half of the ranks, sums in the other, and checks what they compute.\n"
    "  --steps S    rounds of work (200)\n"
    "  --hold FILE  at step K (--hold-at K, or several, as 3,7) wait until FILE exists, and remove it\n"
    "Exit status: 0 right, 1 wrong, 2 wrong usage.\n"
    "Example:\n"
    "  mpirun -n 4 halves --steps 1000\n";

enum Tag { kWork, kResult, kEnd, kStep };

constexpr int kTasks = 8;  ///< of a step

std::uint64_t task(std::uint64_t number) {
  for (int i = 0; i < 2000; ++i) number = number * 6364136223846793005U + 1442695040888963407U;
  return number >> 32;
}

std::uint64_t number_of(long step, int task) {
  return static_cast<std::uint64_t>(step) * kTasks + static_cast<std::uint64_t>(task);
}

std::uint64_t sum_of_step(long step, int tasks) {
  std::uint64_t sum = 0;
  for (int i = 0; i < tasks; ++i) sum += task(number_of(step, i));
  return sum;
}

/// A step of the master: what the workers have computed.
std::uint64_t hand_out(MPI_Comm half, long step) {
  const int workers = app::ranks_of(half) - 1;
  if (workers == 0) return sum_of_step(step, kTasks);
  std::uint64_t sum = 0;
  int given = 0;
  const auto give = [&](int worker) {
    const std::uint64_t number = number_of(step, given++);
    MPI_Ssend(&number, 1, MPI_UINT64_T, worker, kWork, half);
  };
  for (int worker = 1; worker <= workers && given < kTasks; ++worker) give(worker);
  for (int received = 0; received < kTasks; ++received) {
    std::uint64_t result = 0;
    MPI_Status status;
    MPI_Recv(&result, 1, MPI_UINT64_T, MPI_ANY_SOURCE, kResult, half, &status);
    sum += result;
    if (given < kTasks) give(status.MPI_SOURCE);
  }
  return sum;
}

void work(MPI_Comm half) {
  for (;;) {
    std::uint64_t number = 0;
    MPI_Status status;
    MPI_Recv(&number, 1, MPI_UINT64_T, 0, MPI_ANY_TAG, half, &status);
    if (status.MPI_TAG == kEnd) return;
    number = task(number);
    MPI_Send(&number, 1, MPI_UINT64_T, 0, kResult, half);
  }
}

/// Whether all results were right.
bool lead(MPI_Comm half, const app::Options& options, int upper) {
  bool right = true;
  for (long step = 0; step < options.steps; ++step) {
    hold_at(&options.hold, 0, step);
    if (upper > 0) MPI_Send(&step, 1, MPI_LONG, upper, kStep, MPI_COMM_WORLD);
    right = hand_out(half, step) == sum_of_step(step, kTasks) && right;
  }
  for (int worker = 1; worker < app::ranks_of(half); ++worker) MPI_Send(nullptr, 0, MPI_UINT64_T, worker, kEnd, half);
  return right;
}

bool sum_up(MPI_Comm half, long steps) {
  const int place = app::rank_of(half);
  bool right = true;
  for (long step = 0; step < steps; ++step) {
    if (place == 0) MPI_Recv(&step, 1, MPI_LONG, 0, kStep, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::uint64_t mine = task(number_of(step, place)), sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, half);
    right = sum == sum_of_step(step, app::ranks_of(half)) && right;
  }
  return right;
}

int run(const app::Options& options) {
  const int rank = app::rank_of(MPI_COMM_WORLD);
  const int lower = (app::ranks_of(MPI_COMM_WORLD) + 1) / 2;
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank < lower ? 0 : 1, rank, &half);
  bool right = true;
  if (rank == 0)
    right = lead(half, options, lower < app::ranks_of(MPI_COMM_WORLD) ? lower : 0);
  else if (rank < lower)
    work(half);
  else
    right = sum_up(half, options.steps);
  MPI_Comm_free(&half);
  const bool all_right = app::sum_of(right ? 0 : 1) == 0;
  return tell("halves", static_cast<std::uint64_t>(options.steps), all_right, "a sum is not what it should be");
}

}  // namespace

int main(int argc, char** argv) {
  const app::Options options = app::read_options(argc, argv, 200, 1'000'000'000);
  MPI_Init(&argc, &argv);
  const int status = ends_here(&options.usage) ? explain(&options.usage, "halves", kHelp) : run(options);
  MPI_Finalize();
  return status;
}
