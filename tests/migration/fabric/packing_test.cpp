// What is packed comes back, zeros do not travel, and nonsense is refused.
#include "fabric/packing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace cppc::fabric {
namespace {

using Bytes = std::vector<std::byte>;

Bytes packed(const std::vector<Bytes>& pieces) {
  std::size_t bytes = 0;
  std::vector<std::span<const std::byte>> views;
  for (const auto& piece : pieces) {
    views.emplace_back(piece);
    bytes += piece.size();
  }
  Bytes into(packed_bound(bytes), std::byte{0xee});
  into.resize(pack(views, into));
  return into;
}

Bytes unpacked(const Bytes& from, std::size_t bytes) {
  Bytes into(bytes, std::byte{0xee});
  const auto runs = unpack(from, bytes);
  EXPECT_TRUE(runs);
  std::size_t end = 0;
  for (const auto& run : runs.value_or(std::vector<Unpacked>())) {
    EXPECT_EQ(run.offset, end);
    end += run.bytes;
    if (run.contents.empty())
      std::fill_n(into.begin() + static_cast<std::ptrdiff_t>(run.offset), run.bytes, std::byte{0});
    else
      std::ranges::copy(run.contents, into.begin() + static_cast<std::ptrdiff_t>(run.offset));
  }
  EXPECT_EQ(end, bytes);
  return into;
}

TEST(Packing, ComesBack) {
  std::mt19937 random(3);  // NOLINT: the same in every run
  for (int round = 0; round < 200; ++round) {
    std::vector<Bytes> pieces(1 + random() % 5);
    Bytes all;
    for (auto& piece : pieces) {
      piece.resize(random() % 20'000);
      if (random() % 2 == 0) std::ranges::generate(piece, [&] { return static_cast<std::byte>(random()); });
      all.insert(all.end(), piece.begin(), piece.end());
    }
    EXPECT_EQ(unpacked(packed(pieces), all.size()), all);
  }
}

TEST(Packing, LeavesOutZeros) {
  Bytes piece(100 * 4096);
  piece[50 * 4096] = std::byte{1};
  EXPECT_EQ(packed({piece}).size(), 16U + 4096U);
}

TEST(Packing, FitsItsBounds) {
  for (const std::size_t bytes : {1UL, 4095UL, 4096UL, 4097UL, 1UL << 20}) {
    const Bytes piece(bytes, std::byte{1});
    EXPECT_LE(packed({piece}).size(), packed_bound(bytes));
    EXPECT_LE(packed_bound(unpacked_bound(packed_bound(bytes))), packed_bound(bytes));
  }
  EXPECT_EQ(unpacked_bound(8), 0U);
}

TEST(Packing, RefusesWhatCannotBe) {
  const Bytes piece(10'000, std::byte{1});
  const auto good = packed({piece});
  for (std::size_t size = 0; size < good.size(); size += 7) {
    EXPECT_FALSE(unpack(std::span(good).first(size), piece.size())) << size;
  }
  auto longer = good;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(unpack(longer, piece.size()));
  auto fewer = good;
  fewer[0] &= ~std::byte{2};
  EXPECT_FALSE(unpack(fewer, piece.size()));
  EXPECT_FALSE(unpack(good, std::size_t{1} << 40));
}

}  // namespace
}  // namespace cppc::fabric
