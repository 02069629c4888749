/// The particles of particles.cpp: how each moves depends on itself and on the step only, so that one rank can compute
/// again what all have done.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>

namespace particles {

constexpr std::int64_t kCells = 96;         ///< of the ring, cut among the ranks
constexpr std::int64_t kCellLength = 1000;  ///< positions in a cell
constexpr std::int64_t kLength = kCells * kCellLength;

/// A particle as it travels.
struct Record {
  std::int64_t id, position, colour, age;
  double real, imaginary;
};

/// What happens to all particles in a step.
struct Weather {
  std::int64_t wind;
  double angle;
};

class Body {
 public:
  explicit Body(std::int64_t id) : id_(id) {}
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;
  virtual ~Body() = default;
  [[nodiscard]] std::int64_t id() const { return id_; }
  [[nodiscard]] virtual std::string kind() const = 0;

 private:
  std::int64_t id_;
};

class Placed : public virtual Body {
 public:
  explicit Placed(std::int64_t position) : Body(0), position_(position) {}
  [[nodiscard]] std::int64_t position() const { return position_; }
  [[nodiscard]] std::int64_t cell() const { return position_ / kCellLength; }

 protected:
  void shift(std::int64_t by) { position_ = ((position_ + by) % kLength + kLength) % kLength; }

 private:
  std::int64_t position_;
};

class Coloured : public virtual Body {
 public:
  explicit Coloured(std::int64_t colour) : Body(0), colour_(colour) {}
  [[nodiscard]] std::int64_t colour() const { return colour_; }
  void mix(std::int64_t other) { colour_ = (colour_ * 31 + other) % 65521; }

 private:
  std::int64_t colour_;
};

/// Both, by a common virtual base.
class Particle : public Placed, public Coloured {
 public:
  explicit Particle(const Record& record)
      : Body(record.id),
        Placed(record.position),
        Coloured(record.colour),
        age_(record.age),
        spin_(record.real, record.imaginary) {}
  void move(const Weather& weather) {
    spin_ *= std::polar(1.0, weather.angle);
    shift(step_length(weather));
    ++age_;
  }
  [[nodiscard]] Record record() const { return {id(), position(), colour(), age_, spin_.real(), spin_.imag()}; }

 protected:
  [[nodiscard]] virtual std::int64_t step_length(const Weather& weather) const = 0;
  [[nodiscard]] std::int64_t age() const { return age_; }
  [[nodiscard]] std::complex<double> spin() const { return spin_; }

 private:
  std::int64_t age_;
  std::complex<double> spin_;
};

class Walker final : public Particle {
 public:
  explicit Walker(const Record& record) : Body(record.id), Particle(record) {}
  [[nodiscard]] std::string kind() const override { return "walker"; }

 private:
  [[nodiscard]] std::int64_t step_length(const Weather& weather) const override {
    return weather.wind + (id() * 7919 + age() * 104729) % 2003 - 1001;
  }
};

class Spinner final : public Particle {
 public:
  explicit Spinner(const Record& record) : Body(record.id), Particle(record) {}
  [[nodiscard]] std::string kind() const override { return "spinner"; }

 private:
  [[nodiscard]] std::int64_t step_length(const Weather& weather) const override {
    return weather.wind + (spin().real() > 0 ? 600 : -550) + (spin().imag() > 0.5 ? 90 : 0);
  }
};

inline std::shared_ptr<Particle> make(const Record& record) {
  if (record.id % 3 == 0) return std::make_shared<Spinner>(record);
  return std::make_shared<Walker>(record);
}

inline Record first_record(std::int64_t id) { return {id, id * 48271 % kLength, id % 100, 0, 1, 0}; }

/// The same on every rank.
class Sky {
 public:
  Weather next() {
    const std::int64_t wind = static_cast<std::int64_t>(random_() % 400) - 200;
    return {wind, std::uniform_real_distribution<double>(0, 1)(random_)};
  }

 private:
  std::mt19937 random_{20261};
};

/// Thrown in a step in which a lot of wind blows.
class Storm : public std::runtime_error {
 public:
  Storm(long step, std::int64_t wind)
      : std::runtime_error("storm in step " + std::to_string(step)), step_(step), wind_(wind) {}
  [[nodiscard]] long step() const { return step_; }
  [[nodiscard]] std::int64_t wind() const { return wind_; }

 private:
  long step_;
  std::int64_t wind_;
};

}  // namespace particles
