/// What the heap tells of its blocks: which are free, where one begins, and what a capture would carry.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "address/region_heap.hpp"
#include "region_heap_fixture.hpp"

namespace cppc::address {
namespace {

template <class Byte>
bool covers(const std::vector<std::span<Byte>>& parts, const void* block, std::size_t bytes) {
  return std::any_of(parts.begin(), parts.end(), [&](std::span<Byte> part) {
    return number(block) >= number(part.data()) && number(block) + bytes <= number(part.data()) + part.size();
  });
}

TEST_F(RegionHeapTest, TellsWhichSmallBlocksAreFree) {
  auto* kept = static_cast<std::byte*>(RegionHeap::allocate(48));
  auto* freed = static_cast<std::byte*>(RegionHeap::allocate(48));
  RegionHeap::release(freed);
  RegionHeap::visit_live([](std::span<std::byte>) {});
  EXPECT_TRUE(RegionHeap::is_free(freed + 40));
  EXPECT_FALSE(RegionHeap::is_free(kept));
  EXPECT_FALSE(RegionHeap::is_free(&kept));
  RegionHeap::release(kept);
}

TEST_F(RegionHeapTest, TellsWhatNobodyNeedsOfFreeBlocks) {
  constexpr std::size_t kBytes = 3000, kLink = sizeof(void*);
  std::array<std::byte*, 3> blocks{};
  for (std::byte*& block : blocks) block = static_cast<std::byte*>(RegionHeap::allocate(kBytes));
  std::ranges::sort(blocks);
  const auto [kept, freed, last] = blocks;
  auto* little = static_cast<std::byte*>(RegionHeap::allocate(500));
  RegionHeap::release(freed);
  RegionHeap::release(little);
  RegionHeap::trim();
  const auto parts = RegionHeap::free_parts(512);
  EXPECT_TRUE(covers(parts, freed + kLink, kBytes - kLink));
  EXPECT_FALSE(covers(parts, freed, 1));
  EXPECT_FALSE(covers(parts, kept, 1));
  EXPECT_FALSE(covers(parts, kept + kBytes - 1, 1));
  EXPECT_FALSE(covers(parts, little + kLink, 1));
  EXPECT_TRUE(std::ranges::is_sorted(parts, std::less<>(), &std::span<const std::byte>::data));
  RegionHeap::release(kept);
  RegionHeap::release(last);
}

TEST_F(RegionHeapTest, TheLastFreeBlocksOfASlabAreNotCarried) {
  constexpr std::size_t kBytes = 208;
  std::vector<std::byte*> blocks(200);
  for (std::byte*& block : blocks) block = static_cast<std::byte*>(RegionHeap::allocate(kBytes));
  std::ranges::sort(blocks);
  for (std::size_t i = 1; i < blocks.size(); ++i)
    if (i != 50) RegionHeap::release(blocks[i]);
  RegionHeap::trim();
  const auto parts = live_parts();
  EXPECT_TRUE(covers(parts, blocks[0], kBytes));
  EXPECT_TRUE(covers(parts, blocks[50], kBytes));
  EXPECT_TRUE(covers(parts, blocks[20], 1));  // leads to the next
  EXPECT_FALSE(covers(parts, blocks[199], 1));
  std::set<void*> again;
  for (std::size_t i = 0; i < blocks.size(); ++i) again.insert(RegionHeap::allocate(kBytes));
  EXPECT_EQ(again.size(), blocks.size());
  EXPECT_FALSE(again.contains(blocks[0]));
  EXPECT_FALSE(again.contains(blocks[50]));
  for (void* block : again) RegionHeap::release(block);
  RegionHeap::release(blocks[0]);
  RegionHeap::release(blocks[50]);
}

TEST_F(RegionHeapTest, FindsTheBlockOfAnAddress) {
  auto* small = static_cast<std::byte*>(RegionHeap::allocate(48));
  auto* large = static_cast<std::byte*>(RegionHeap::allocate(kMiB));
  EXPECT_EQ(RegionHeap::find_block(small + 47).data(), small);
  EXPECT_EQ(RegionHeap::find_block(large + kMiB - 1).data(), large);
  EXPECT_EQ(RegionHeap::find_block(large).size(), kMiB);
  RegionHeap::release(large);
  EXPECT_TRUE(RegionHeap::find_block(large).empty());
  EXPECT_TRUE(RegionHeap::find_block(&small).empty());
  RegionHeap::release(small);
}

TEST_F(RegionHeapTest, ShowsLiveBlocksAndNoFreeOnes) {
  std::vector<std::pair<void*, std::size_t>> blocks;
  std::mt19937 random(2);
  for (int i = 0; i < 5000; ++i) {
    const std::size_t bytes = random() % 4 != 0 ? random() % 500 : random() % 200'000;
    blocks.emplace_back(RegionHeap::allocate(bytes), bytes);
  }
  void* freed = RegionHeap::allocate(100 * kMiB);
  blocks.emplace_back(RegionHeap::allocate(kMiB), kMiB);
  RegionHeap::release(freed);
  const auto parts = live_parts();
  for (const auto& [block, bytes] : blocks) EXPECT_TRUE(covers(parts, block, bytes));
  std::size_t all = 0;
  for (const std::span<std::byte> part : parts) {
    EXPECT_TRUE(number(part.data() + part.size()) <= number(freed) ||
                number(part.data()) >= number(freed) + 100 * kMiB);
    all += part.size();
  }
  EXPECT_LE(all, RegionHeap::live_bytes());
  EXPECT_LE(RegionHeap::live_bytes(), all + all / 10);
  for (const auto& [block, bytes] : blocks) RegionHeap::release(block);
}

}  // namespace
}  // namespace cppc::address
