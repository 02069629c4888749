// What was compressed comes back, and nonsense is refused.
#include "fabric/squeeze.hpp"

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

TEST(Squeeze, ComesBack) {
  Squeezer squeezer;
  for (const std::size_t bytes : {100UL, 4096UL, 99'999UL, 1UL << 20}) {
    const Bytes before = numbers(bytes);
    Bytes memory = before;
    const auto size = squeezer.squeeze(memory);
    ASSERT_TRUE(size) << bytes;
    EXPECT_LT(*size, bytes / 2 + 100);
    const auto after = squeezer.restore(std::span(memory).first(*size), bytes);
    ASSERT_TRUE(after);
    EXPECT_TRUE(std::ranges::equal(*after, before));
  }
}

TEST(Squeeze, WhatGetsNoSmallerStays) {
  Squeezer squeezer;
  const Bytes before = noise(1 << 18);
  Bytes memory = before;
  EXPECT_FALSE(squeezer.squeeze(memory));
  EXPECT_EQ(memory, before);
}

TEST(Squeeze, RefusesWhatCannotBe) {
  Squeezer squeezer;
  Bytes memory = numbers(1 << 16);
  const auto size = squeezer.squeeze(memory);
  ASSERT_TRUE(size);
  const auto good = std::span(memory).first(*size);
  EXPECT_FALSE(squeezer.restore(good, (1 << 16) - 1));
  EXPECT_FALSE(squeezer.restore(good.first(good.size() - 1), 1 << 16));
  EXPECT_FALSE(squeezer.restore({}, 1 << 16));
  EXPECT_FALSE(squeezer.restore(noise(1000), 1 << 16));
}

}  // namespace
}  // namespace cppc::fabric
