/// A wave on a ring of points, of as many bytes as one likes, cut among the ranks: three vectors that take turns.
///
/// With a time step of one point per step, each value is the sum of its neighbours' less its own of the step before:
/// whole numbers, so after T steps the first values have travelled T points exactly.
#include <algorithm>
#include <array>
#include <chrono>
#include <thread>
#include <vector>

#include "app.hpp"

namespace {

constexpr char kHelp[] =
    "Usage: wave [--mb M] [--steps S | --until FILE] [--pause-us U] [--hold FILE --hold-at K]\n"
    "Lets a wave travel around a ring of points, and checks every point.\n"
    "  --mb M        as many points as make M million bytes of state per rank (1)\n"
    "  --steps S     time steps (300)\n"
    "  --until FILE  instead: go on until FILE exists\n"
    "  --pause-us U  sleep U microseconds in every step\n"
    "  --hold FILE   at step K (--hold-at K, or several, as 3,7) wait until FILE exists, and remove it\n"
    "Exit status: 0 right, 1 wrong, 2 wrong usage.\n"
    "Example:\n"
    "  mpirun -n 4 wave --mb 64 --steps 1000\n";

constexpr int kLeftwards = 1;
constexpr int kRightwards = 2;

struct Options {
  ::usage usage{};
  long megabytes = 1, steps = 300, pause_us = 0;
  const char* until = nullptr;
  ::hold hold{};
};

Options read_options(int argc, char** argv) {
  Options options;
  std::array<::setting, 6> settings{};
  const auto number = [&](std::size_t i, const char* name, long& value, long least) {
    settings[i].name = name;
    settings[i].number = &value;
    settings[i].least = least;
    settings[i].most = 1000000000;
  };
  number(0, "mb", options.megabytes, 1);
  number(1, "steps", options.steps, 0);
  number(2, "pause-us", options.pause_us, 0);
  settings[3].name = "until";
  settings[3].text = &options.until;
  settings[4].name = "hold";
  settings[4].text = &options.hold.file;
  settings[5].name = "hold-at";
  settings[5].list = &options.hold.steps;
  const int operand = parse(argc, argv, settings.data(), static_cast<int>(settings.size()), &options.usage);
  if (operand < argc) wrong_usage(&options.usage, "'%s' is one argument too many", argv[operand]);
  return options;
}

class Ring {
 public:
  explicit Ring(std::size_t points)
      : rank_(app::rank_of(MPI_COMM_WORLD)), ranks_(app::ranks_of(MPI_COMM_WORLD)), points_(points) {
    for (auto& values : values_) values.resize(points + 2);
    for (std::size_t i = 1; i <= points; ++i) {
      before()[i] = first(i, 1);
      now()[i] = first(i, 0);
    }
  }
  [[nodiscard]] int rank() const { return rank_; }

  void step() {
    exchange();
    auto& next = values_[2];
    for (std::size_t i = 1; i <= points_; ++i) next[i] = now()[i - 1] + now()[i + 1] - before()[i];
    std::ranges::rotate(values_, values_.begin() + 1);
    ++steps_;
  }

  [[nodiscard]] long steps() const { return steps_; }

  /// How many of the own points are not where they have to be.
  [[nodiscard]] long wrong() {
    long wrong = 0;
    for (std::size_t i = 1; i <= points_; ++i) wrong += now()[i] != first(i, -steps_);
    return wrong;
  }

  [[nodiscard]] std::uint64_t digest() { return digest_doubles(DIGEST_START, &now()[1], points_); }

 private:
  std::vector<double>& before() { return values_[0]; }
  std::vector<double>& now() { return values_[1]; }

  /// The first value of the own point i, or of one `offset` points farther.
  [[nodiscard]] double first(std::size_t i, long offset) const {
    const long all = static_cast<long>(points_) * ranks_;
    const long place = ((rank_ * static_cast<long>(points_) + static_cast<long>(i) + offset) % all + all) % all;
    return static_cast<double>((place * 37 + place / 7) % 101 - 50);
  }

  void exchange() {
    const int left = (rank_ + ranks_ - 1) % ranks_;
    const int right = (rank_ + 1) % ranks_;
    MPI_Sendrecv(&now()[1], 1, MPI_DOUBLE, left, kLeftwards, &now()[points_ + 1], 1, MPI_DOUBLE, right, kLeftwards,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&now()[points_], 1, MPI_DOUBLE, right, kRightwards, now().data(), 1, MPI_DOUBLE, left, kRightwards,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

  int rank_, ranks_;
  std::size_t points_;
  std::array<std::vector<double>, 3> values_;  ///< of the step before, of this, of the next; one more at each end
  long steps_ = 0;
};

/// The same on all ranks.
bool is_over(const Options& options, const Ring& ring) {
  int over = options.until == nullptr ? ring.steps() >= options.steps
                                      : ring.rank() == 0 && std::filesystem::exists(options.until);
  MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return over != 0;
}

int run(const Options& options) {
  Ring ring(static_cast<std::size_t>(options.megabytes) * 1000000 / (3 * sizeof(double)));
  while (!is_over(options, ring)) {
    hold_at(&options.hold, ring.rank(), ring.steps());
    ring.step();
    std::this_thread::sleep_for(std::chrono::microseconds(options.pause_us));
  }
  const long wrong = app::sum_of(ring.wrong());
  return tell("wave", digest_ranks(ring.digest(), MPI_COMM_WORLD), wrong == 0, "%ld points are wrong", wrong);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = read_options(argc, argv);
  MPI_Init(&argc, &argv);
  const int status = ends_here(&options.usage) ? explain(&options.usage, "wave", kHelp) : run(options);
  MPI_Finalize();
  return status;
}
