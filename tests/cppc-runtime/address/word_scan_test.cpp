#include "address/word_scan.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace cppc::address {
namespace {

constexpr std::uintptr_t kLow = 0x40'0000;
constexpr std::uintptr_t kHigh = 0x7fff'0000'0000;

Windows windows() {
  Windows windows;
  windows.below.add(kLow, kLow + 0x1000);
  windows.above.add(kHigh + 0x5000, kHigh + 0x6000);
  windows.above.add(kHigh, kHigh + 0x1000);
  return windows;
}

TEST(WordScan, AWindowCoversAllThatWasAdded) {
  const Windows two = windows();
  for (const std::uintptr_t inside : {kLow, kLow + 0xfff, kHigh, kHigh + 0x3000, kHigh + 0x5fff})
    EXPECT_TRUE(two.hold(inside)) << std::hex << inside;
  for (const std::uintptr_t outside : {std::uintptr_t{0}, kLow - 1, kLow + 0x1000, kHigh - 1, kHigh + 0x6000, ~kLow})
    EXPECT_FALSE(two.hold(outside)) << std::hex << outside;
}

TEST(WordScan, AnEmptyWindowHoldsNothing) {
  const std::array<std::uintptr_t, 8> words{0, 1, UINTPTR_MAX, UINTPTR_MAX - 1, 1UL << 63, (1UL << 63) - 1, 42, kHigh};
  EXPECT_EQ(pass_over(words, Windows{}), words.size());
}

/// Numbers on both sides of every bound, those included that change their sign when they are compared with one.
TEST(WordScan, StopsAtTheGroupThatHasAWordInAWindow) {
  for (const std::uintptr_t word : {kLow, kLow + 0xfff, kHigh, kHigh + 0x5fff}) {
    for (std::size_t place = 0; place < 40; ++place) {
      std::vector<std::uintptr_t> words(40, kLow - 1);
      for (std::size_t i = 1; i < words.size(); i += 3) words[i] = UINTPTR_MAX - i;
      for (std::size_t i = 2; i < words.size(); i += 3) words[i] = kHigh + 0x6000;
      words[place] = word;
      EXPECT_EQ(pass_over(words, windows()), place / 8 * 8) << place;
    }
  }
}

TEST(WordScan, StopsAtTheGroupThatNamesTheThread) {
  Windows windows;
  windows.thread = 4711;
  for (const std::uintptr_t word : {windows.thread, windows.thread | Windows::kUsers}) {
    std::vector<std::uintptr_t> words{4710, 4712, 4711UL << 32, 2 * Windows::kUsers | 4711, 0, UINTPTR_MAX};
    words.resize(24);
    EXPECT_EQ(pass_over(words, windows), words.size());
    words[11] = word;
    EXPECT_EQ(pass_over(words, windows), 8U);
  }
}

TEST(WordScan, LeavesTheLastWordsToTheCaller) {
  const std::vector<std::uintptr_t> words(21, kHigh);
  EXPECT_EQ(pass_over(std::span(words).first(7), windows()), 0U);
  const std::vector<std::uintptr_t> harmless(21, 42);
  EXPECT_EQ(pass_over(harmless, windows()), 16U);
}

}  // namespace
}  // namespace cppc::address
