/// Sums of multiples, and what any as many pieces as there are images give back.
#include "reed_solomon.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "nodes.hpp"

namespace cppc::keeper {
namespace {

std::vector<Bytes> with_parities(std::vector<Bytes> pieces, int rows) {
  const int images = static_cast<int>(pieces.size());
  for (int row = 0; row < rows; ++row) {
    Bytes parity(pieces[0].size());
    for (int i = 0; i < images; ++i)
      add_multiple(coefficient(images, row, i), pieces[static_cast<std::size_t>(i)], parity);
    pieces.push_back(std::move(parity));
  }
  return pieces;
}

TEST(ReedSolomonTest, AnyAsManyPiecesGiveEachImage) {
  constexpr int images = 4, rows = 3;
  for (const std::size_t size : {1, 31, 32, 33, 64, 1000}) {
    std::vector<Bytes> pieces;
    for (unsigned i = 0; i < images; ++i) pieces.push_back(random_bytes(size, i));
    pieces = with_parities(std::move(pieces), rows);
    std::vector<bool> chosen(pieces.size());
    std::fill_n(chosen.begin(), images, true);
    do {
      std::vector<int> left;
      for (std::size_t i = 0; i < pieces.size(); ++i)
        if (chosen[i]) left.push_back(static_cast<int>(i));
      for (int image = 0; image < images; ++image) {
        const auto factors = coefficients_to_rebuild(images, left, image);
        ASSERT_TRUE(factors);
        Bytes sum(size);
        for (std::size_t i = 0; i < left.size(); ++i)
          add_multiple((*factors)[i], pieces[static_cast<std::size_t>(left[i])], sum);
        EXPECT_EQ(sum, pieces[static_cast<std::size_t>(image)]) << size << " bytes, image " << image;
      }
    } while (std::prev_permutation(chosen.begin(), chosen.end()));
  }
}

TEST(ReedSolomonTest, TheLargestGroupIsRebuiltFromParities) {
  constexpr int images = 64, rows = 8;
  std::vector<Bytes> pieces;
  for (unsigned i = 0; i < images; ++i) pieces.push_back(random_bytes(100, i));
  pieces = with_parities(std::move(pieces), rows);
  std::vector<int> left(images);
  std::iota(left.begin(), left.end(), rows);  // without the first ones
  for (int image = 0; image < rows; ++image) {
    const auto factors = coefficients_to_rebuild(images, left, image);
    ASSERT_TRUE(factors);
    Bytes sum(100);
    for (std::size_t i = 0; i < left.size(); ++i)
      add_multiple((*factors)[i], pieces[static_cast<std::size_t>(left[i])], sum);
    EXPECT_EQ(sum, pieces[static_cast<std::size_t>(image)]);
  }
}

TEST(ReedSolomonTest, TheSamePieceTwiceOrTooFewGiveNothing) {
  EXPECT_FALSE(coefficients_to_rebuild(3, std::vector<int>{1, 3, 3}, 0));
  EXPECT_FALSE(coefficients_to_rebuild(3, std::vector<int>{1, 3}, 0));
}

}  // namespace
}  // namespace cppc::keeper
