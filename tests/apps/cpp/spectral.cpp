/// The diffusion of a field on a torus, solved in Fourier space by FFTW over all ranks, with plans that are made once
/// and used in every step.
///
/// A step transforms the field, damps the frequencies, and transforms it back. Each frequency decays by itself, so what
/// is left of the first field after all steps is known. The plans are made by rule (FFTW_ESTIMATE), so all runs
/// compute the same.
#include <fftw3-mpi.h>

#include <array>
#include <cmath>
#include <complex>
#include <memory>
#include <numbers>

#include "app.hpp"

namespace {

constexpr char kHelp[] =
    "Usage: spectral [--steps S] [--hold FILE --hold-at K]\n"
    "Solves a diffusion equation by FFTW and checks the field.\n"
    "  --steps S    time steps (100)\n"
    "  --hold FILE  at step K (--hold-at K, or several, as 3,7) wait until FILE exists, and remove it\n"
    "Exit status: 0 right, 1 wrong, 2 wrong usage.\n"
    "Example:\n"
    "  mpirun -n 4 spectral --steps 1000\n";

constexpr std::ptrdiff_t kSide = 128;
constexpr double kDiffusion = 1e-3;
constexpr double kTolerance = 1e-10;

/// A wave of the first field.
struct Wave {
  int x, y;
  double height;
};
constexpr std::array<Wave, 3> kWaves{{{1, 0, 1.0}, {2, 3, 0.5}, {5, 1, 0.25}}};

struct FreeFftw {
  void operator()(void* memory) const { fftw_free(memory); }
};

class Plan {
 public:
  Plan(fftw_complex* data, int sign)
      : plan_(fftw_mpi_plan_dft_2d(kSide, kSide, data, data, MPI_COMM_WORLD, sign, FFTW_ESTIMATE)) {}
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() { fftw_destroy_plan(plan_); }
  [[nodiscard]] bool made() const { return plan_ != nullptr; }
  void execute() const { fftw_execute(plan_); }

 private:
  fftw_plan plan_;
};

double decay(std::ptrdiff_t x, std::ptrdiff_t y) {
  const auto square = [](std::ptrdiff_t k) {
    const auto frequency = static_cast<double>(k < kSide / 2 ? k : k - kSide);
    return frequency * frequency;
  };
  return std::exp(-kDiffusion * (square(x) + square(y)));
}

class Field {
 public:
  Field() : room_(fftw_mpi_local_size_2d(kSide, kSide, MPI_COMM_WORLD, &rows_, &first_)) {
    data_.reset(fftw_alloc_complex(static_cast<std::size_t>(room_)));
    forward_ = std::make_unique<Plan>(data_.get(), FFTW_FORWARD);
    backward_ = std::make_unique<Plan>(data_.get(), FFTW_BACKWARD);
    for (std::ptrdiff_t row = 0; row < rows_; ++row) {
      for (std::ptrdiff_t column = 0; column < kSide; ++column) at(row, column) = expected(row, column, 0);
    }
  }
  [[nodiscard]] bool planned() const { return forward_->made() && backward_->made(); }

  void step() {
    forward_->execute();
    for (std::ptrdiff_t row = 0; row < rows_; ++row) {
      for (std::ptrdiff_t column = 0; column < kSide; ++column) {
        at(row, column) *= decay(first_ + row, column) / static_cast<double>(kSide * kSide);
      }
    }
    backward_->execute();
  }

  [[nodiscard]] double largest_error(long steps) {
    double error = 0;
    for (std::ptrdiff_t row = 0; row < rows_; ++row) {
      for (std::ptrdiff_t column = 0; column < kSide; ++column) {
        const double difference = std::abs(at(row, column) - expected(row, column, steps));
        if (!(difference <= error)) error = difference;  // for NaN as well
      }
    }
    double largest = 0;
    MPI_Allreduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return std::isnan(error) ? error : largest;
  }

  [[nodiscard]] std::uint64_t digest() {
    const auto* numbers = reinterpret_cast<const double*>(data_.get());
    return digest_ranks(digest_doubles(DIGEST_START, numbers, static_cast<std::size_t>(2 * rows_ * kSide)),
                        MPI_COMM_WORLD);
  }

 private:
  std::complex<double>& at(std::ptrdiff_t row, std::ptrdiff_t column) {
    return reinterpret_cast<std::complex<double>*>(data_.get())[row * kSide + column];
  }
  [[nodiscard]] double expected(std::ptrdiff_t row, std::ptrdiff_t column, long steps) const {
    double value = 0;
    for (const Wave& wave : kWaves) {
      const double phase =
          2 * std::numbers::pi * static_cast<double>(wave.x * (first_ + row) + wave.y * column) / kSide;
      value += wave.height * std::cos(phase) * std::pow(decay(wave.x, wave.y), static_cast<double>(steps));
    }
    return value;
  }

  std::ptrdiff_t rows_ = 0, first_ = 0;
  std::ptrdiff_t room_;
  std::unique_ptr<fftw_complex[], FreeFftw> data_;
  std::unique_ptr<Plan> forward_, backward_;
};

int run(const app::Options& options) {
  fftw_mpi_init();
  int status = 1;
  {
    Field field;
    const bool planned = app::sum_of(field.planned() ? 0 : 1) == 0;
    for (long step = 0; planned && step < options.steps; ++step) {
      hold_at(&options.hold, app::rank_of(MPI_COMM_WORLD), step);
      field.step();
    }
    const double error = field.largest_error(options.steps);
    status =
        tell("spectral", field.digest(), planned && error <= kTolerance, "the largest error is %.3e (allowed: %.0e)%s",
             error, kTolerance, planned ? "" : "; there is no plan");
  }
  fftw_mpi_cleanup();
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  const app::Options options = app::read_options(argc, argv, 100, 1000000);
  MPI_Init(&argc, &argv);
  const int status = ends_here(&options.usage) ? explain(&options.usage, "spectral", kHelp) : run(options);
  MPI_Finalize();
  return status;
}
