// What was compressed comes back, and nonsense is refused.
#include "fabric/compressor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

namespace cppc::fabric {
namespace {

using Bytes = std::vector<std::byte>;

Bytes numbers(std::size_t bytes) {
  Bytes all(bytes);
  for (std::size_t i = 0; i + 8 <= bytes; i += 8) {
    const double value = 1.0 + static_cast<double>(i) / 1024;
    std::memcpy(all.data() + i, &value, sizeof value);
  }
  return all;
}

Bytes noise(std::size_t bytes) {
  std::mt19937_64 random(5);  // NOLINT: the same in every run
  Bytes all(bytes);
  std::ranges::generate(all, [&] { return static_cast<std::byte>(random()); });
  return all;
}

TEST(Compressor, ComesBack) {
  Compressor compressor;
  for (const std::size_t bytes : {100UL, 4096UL, 99'999UL, 1UL << 20}) {
    const Bytes before = numbers(bytes);
    Bytes memory = before;
    const auto size = compressor.compress(memory);
    ASSERT_TRUE(size) << bytes;
    EXPECT_LT(*size, bytes / 2 + 100);
    const auto after = compressor.restore(std::span(memory).first(*size), bytes);
    ASSERT_TRUE(after);
    EXPECT_TRUE(std::ranges::equal(*after, before));
  }
}

TEST(Compressor, IncompressibleChunksAreSentAsTheyAre) {
  Compressor compressor;
  const Bytes before = noise(1 << 18);
  Bytes memory = before;
  EXPECT_FALSE(compressor.compress(memory));
  EXPECT_EQ(memory, before);
}

TEST(Compressor, RefusesWhatCannotBe) {
  Compressor compressor;
  Bytes memory = numbers(1 << 16);
  const auto size = compressor.compress(memory);
  ASSERT_TRUE(size);
  const auto good = std::span(memory).first(*size);
  EXPECT_FALSE(compressor.restore(good, (1 << 16) - 1));
  EXPECT_FALSE(compressor.restore(good.first(good.size() - 1), 1 << 16));
  EXPECT_FALSE(compressor.restore({}, 1 << 16));
  EXPECT_FALSE(compressor.restore(noise(1000), 1 << 16));
}

}  // namespace
}  // namespace cppc::fabric
