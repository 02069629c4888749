#include "state.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>

namespace cppc::bench {
namespace {

constexpr std::size_t small_objects = 10'000;
constexpr std::size_t stride = 7919;      // no common divisor with small_objects
constexpr std::array tenths{4U, 3U, 2U};  // of the large arrays' memory; the last one has the rest

/// SplitMix64.
std::uint64_t random_bits(std::uint64_t number) {
  number *= 0x9e3779b97f4a7c15;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

/// 8 bytes to 512, as many as a block of a list or tree has.
std::size_t small_count(std::size_t number) { return 1 + random_bits(number) % 64; }

/// One bit of the exponent is off: neither infinite nor not a number.
std::uint64_t value_bits(std::uint64_t seed, std::size_t number) {
  return random_bits((seed << 40) + number + 1) & ~(std::uint64_t{1} << 62);
}

}  // namespace

void State::Unmap::operator()(double* memory) const { munmap(memory, bytes); }

Result<State> State::make(std::uint64_t bytes) {
  if (bytes < 10'000'000) return failure("a state has 10 MB at least");
  bytes -= bytes % sizeof(double);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return failure(std::string("no memory for the state: ") + std::strerror(errno));
  State state(std::unique_ptr<double, Unmap>(static_cast<double*>(memory), Unmap{bytes}));
  madvise(memory, bytes, MADV_HUGEPAGE);  // without them it only takes longer until everything is there
  state.clear();
  return state;
}

State::State(std::unique_ptr<double, Unmap> block) : block_(std::move(block)) {
  std::span<double> rest = values();
  const auto take = [&rest](std::size_t count) {
    const auto taken = rest.first(count);
    rest = rest.subspan(count);
    return taken;
  };
  std::size_t in_small = 0;
  for (std::size_t i = 0; i < small_objects; ++i) in_small += small_count(i);
  const std::size_t in_large = rest.size() - in_small;
  for (const auto share : tenths)
    large_.push_back({"heap/large" + std::to_string(large_.size()), take(in_large / 10 * share)});
  large_.push_back({"heap/large" + std::to_string(large_.size()), take(rest.size() - in_small)});
  small_.resize(small_objects);
  for (std::size_t i = 0; i < small_objects; ++i) {
    const std::size_t number = i * stride % small_objects;
    small_[number] = {"heap/small" + std::to_string(number), take(small_count(number))};
  }
}

void State::fill(std::uint64_t seed) {
  const auto all = values();
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::bit_cast<double>(value_bits(seed, i));
}

bool State::is_filled(std::uint64_t seed) const {
  const auto all = values();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (std::bit_cast<std::uint64_t>(all[i]) != value_bits(seed, i)) return false;
  return true;
}

void State::clear() { std::ranges::fill(memory(), std::byte{0xff}); }

}  // namespace cppc::bench
