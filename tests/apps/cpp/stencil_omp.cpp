/// A torus of numbers modulo a prime, cut among the ranks by rows, which teams of threads of OpenMP update: loops with
/// a dynamic schedule, reductions, locks that are kept over the steps, memory asked for by all threads, tasks, a
/// variable of each thread. Only the main thread calls MPI, inside of teams too.
///
/// A step exchanges the rows at the borders, replaces each cell by a weighted sum of itself and its neighbours, and
/// sorts the cells into buckets. All sums are of whole numbers, so no order of threads changes them. In the end rank 0
/// computes everything again without threads.
#include <omp.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "app.hpp"

namespace {

constexpr char kHelp[] =
    "Usage: stencil_omp [--steps S] [--hold FILE --hold-at K]\n"
    "Updates a torus of numbers by ranks that have two threads each, and checks every cell.\n"
    "  --steps S    time steps (60)\n"
    "  --hold FILE  at step K (--hold-at K, or several, as 3,7) wait until FILE exists, and remove it\n"
    "Exit status: 0 right, 1 wrong, 2 wrong usage.\n"
    "Example:\n"
    "  mpirun -n 4 stencil_omp --steps 1000\n";

constexpr int kRows = 96;
constexpr int kColumns = 120;
constexpr int kThreads = 2;
constexpr std::int64_t kPrime = 65521;
constexpr int kBuckets = 7;
constexpr int kUp = 1;
constexpr int kDown = 2;

int steps_of_thread = 0;
#pragma omp threadprivate(steps_of_thread)

using Row = std::array<std::int64_t, kColumns>;

std::int64_t first_value(int row, int column) { return (row * 131 + column * 31 + row * column) % kPrime; }

void update(const Row& above, const Row& here, const Row& below, Row& result) {
  for (int c = 0; c < kColumns; ++c) {
    const auto west = static_cast<std::size_t>((c + kColumns - 1) % kColumns);
    const auto east = static_cast<std::size_t>((c + 1) % kColumns);
    const auto at = static_cast<std::size_t>(c);
    result[at] = (5 * here[at] + 2 * above[at] + 3 * below[at] + here[west] + 7 * here[east]) % kPrime;
  }
}

/// Sums of the cells by their remainder; every one has a lock.
class Buckets {
 public:
  Buckets() {
    for (auto& lock : locks_) omp_init_lock(&lock);
  }
  Buckets(const Buckets&) = delete;
  Buckets& operator=(const Buckets&) = delete;
  ~Buckets() {
    for (auto& lock : locks_) omp_destroy_lock(&lock);
  }
  void add(std::size_t bucket, std::int64_t value) {
    omp_set_lock(&locks_[bucket]);
    sums_[bucket] += value;
    omp_unset_lock(&locks_[bucket]);
  }
  [[nodiscard]] const std::array<std::int64_t, kBuckets>& sums() const { return sums_; }

 private:
  std::array<omp_lock_t, kBuckets> locks_{};
  std::array<std::int64_t, kBuckets> sums_{};
};

std::int64_t sum_by_tasks(const std::vector<Row>& rows, std::size_t first, std::size_t last) {
  if (last - first <= 4) {
    std::int64_t sum = 0;
    for (std::size_t row = first; row < last; ++row) {
      for (const std::int64_t value : rows[row]) sum += value;
    }
    return sum;
  }
  const std::size_t middle = (first + last) / 2;
  std::int64_t left = 0;
  std::int64_t right = 0;
#pragma omp task shared(left, rows)
  left = sum_by_tasks(rows, first, middle);
#pragma omp task shared(right, rows)
  right = sum_by_tasks(rows, middle, last);
#pragma omp taskwait
  return left + right;
}

class Torus {
 public:
  Torus()
      : rank_(app::rank_of(MPI_COMM_WORLD)),
        ranks_(app::ranks_of(MPI_COMM_WORLD)),
        first_(kRows * rank_ / ranks_),
        count_(kRows * (rank_ + 1) / ranks_ - first_),
        rows_(static_cast<std::size_t>(count_) + 2),
        next_(rows_.size()) {
    for (int row = 0; row < count_; ++row) {
      for (int column = 0; column < kColumns; ++column)
        own(row)[static_cast<std::size_t>(column)] = first_value(first_ + row, column);
    }
  }

  void step() {
#pragma omp parallel
#pragma omp master
    exchange();
    ++steps_of_thread;
    const int step = steps_of_thread;
    std::int64_t sum = 0;
    std::int64_t largest = 0;
    long wrong = 0;
#pragma omp parallel copyin(steps_of_thread) reduction(+ : sum, wrong) reduction(max : largest)
    {
      wrong += steps_of_thread != step || omp_get_num_threads() != kThreads;
      std::vector<std::int64_t> found(kBuckets);
#pragma omp for schedule(dynamic, 3)
      for (int row = 1; row <= count_; ++row) {
        const auto at = static_cast<std::size_t>(row);
        const auto copy = std::make_unique<Row>(rows_[at]);
        update(rows_[at - 1], *copy, rows_[at + 1], next_[at]);
        for (const std::int64_t value : next_[at]) {
          found[static_cast<std::size_t>(value % kBuckets)] += value;
          sum += value;
          largest = std::max(largest, value);
        }
      }
      for (std::size_t bucket = 0; bucket < found.size(); ++bucket) buckets_.add(bucket, found[bucket]);
    }
    rows_.swap(next_);
    wrong_ += wrong;
    std::int64_t again = 0;
#pragma omp parallel
#pragma omp single
    again = sum_by_tasks(rows_, 1, static_cast<std::size_t>(count_) + 1);
    wrong_ += again != sum;
    std::array<std::int64_t, 2> all{};
    MPI_Allreduce(&sum, &all[0], 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&largest, &all[1], 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    history_.push_back(all);
  }

  [[nodiscard]] long wrong() const { return wrong_; }
  [[nodiscard]] const std::vector<std::array<std::int64_t, 2>>& history() const { return history_; }

  /// The sum over all ranks and steps of each bucket.
  [[nodiscard]] std::array<std::int64_t, kBuckets> buckets() const {
    std::array<std::int64_t, kBuckets> all{};
    MPI_Allreduce(buckets_.sums().data(), all.data(), kBuckets, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
  }

  /// How many of the own cells are not as in the whole torus.
  [[nodiscard]] long differences(const std::vector<Row>& whole) const {
    long wrong = 0;
    for (int row = 0; row < count_; ++row) {
      wrong += rows_[static_cast<std::size_t>(row) + 1] != whole[static_cast<std::size_t>(first_ + row)];
    }
    return wrong;
  }

 private:
  Row& own(int row) { return rows_[static_cast<std::size_t>(row) + 1]; }

  void exchange() {
    const int above = (rank_ + ranks_ - 1) % ranks_;
    const int below = (rank_ + 1) % ranks_;
    MPI_Sendrecv(own(0).data(), kColumns, MPI_INT64_T, above, kUp, own(count_).data(), kColumns, MPI_INT64_T, below,
                 kUp, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(own(count_ - 1).data(), kColumns, MPI_INT64_T, below, kDown, own(-1).data(), kColumns, MPI_INT64_T,
                 above, kDown, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

  int rank_, ranks_, first_, count_;
  std::vector<Row> rows_, next_;  ///< of the own rows, and one above and below
  Buckets buckets_;
  std::vector<std::array<std::int64_t, 2>> history_;
  long wrong_ = 0;
};

/// All of it without threads: leaves the last step in the torus, returns the sums by buckets.
std::array<std::int64_t, kBuckets> compute_again(std::vector<Row>& whole, long steps) {
  std::array<std::int64_t, kBuckets> sums{};
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column)
      whole[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] = first_value(row, column);
  }
  std::vector<Row> next(whole.size());
  for (long step = 0; step < steps; ++step) {
    for (std::size_t row = 0; row < whole.size(); ++row) {
      update(whole[(row + kRows - 1) % kRows], whole[row], whole[(row + 1) % kRows], next[row]);
      for (const std::int64_t value : next[row]) sums[static_cast<std::size_t>(value % kBuckets)] += value;
    }
    whole.swap(next);
  }
  return sums;
}

int run(const app::Options& options) {
  omp_set_num_threads(kThreads);
  omp_set_dynamic(0);
  Torus torus;
  for (long step = 0; step < options.steps; ++step) {
    hold_at(&options.hold, app::rank_of(MPI_COMM_WORLD), step);
    torus.step();
  }
  std::vector<Row> whole(kRows);
  const bool buckets = compute_again(whole, options.steps) == torus.buckets();
  const long different = app::sum_of(torus.differences(whole));
  const long wrong = app::sum_of(torus.wrong());
  const bool counted = steps_of_thread == options.steps;
  std::uint64_t digest = DIGEST_START;
  for (const auto& [sum, largest] : torus.history()) {
    digest = digest_word(digest_word(digest, static_cast<std::uint64_t>(sum)), static_cast<std::uint64_t>(largest));
  }
  return tell("stencil_omp", digest, app::sum_of(buckets && counted ? 0 : 1) + different + wrong == 0,
              "%ld rows are wrong, %ld things within the steps; the buckets are %s", different, wrong,
              buckets ? "right" : "wrong");
}

}  // namespace

int main(int argc, char** argv) {
  const app::Options options = app::read_options(argc, argv, 60, 1000000);
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  int status = 1;
  if (ends_here(&options.usage)) {
    status = explain(&options.usage, "stencil_omp", kHelp);
  } else if (level >= MPI_THREAD_FUNNELED) {
    status = run(options);
  }
  MPI_Finalize();
  return status;
}
