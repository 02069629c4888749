#include "address/large_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <span>

#include "address/region_heap.hpp"
#include "address/shared_blocks.hpp"
#include "heap_for_tests.hpp"

namespace cppc::address {
namespace {

constexpr std::size_t mebibyte = 1 << 20;

std::array<std::byte, 64 * mebibyte> variable;

bool holds(const auto& parts, const void* address) {
  const auto is_in = [address](const auto part) {
    return std::greater_equal<>()(address, part.data()) && std::less<>()(address, part.data() + part.size());
  };
  return std::ranges::any_of(parts, is_in);
}

std::vector<CarriedObject> with_variable() {
  CarriedObject object;
  object.zeroed = {variable};
  return {object};
}

class LargeMemoryTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(test::heap_is_started()); }
};

TEST_F(LargeMemoryTest, UntouchedPagesOfABlockAreFound) {
  auto* const block = static_cast<std::byte*>(RegionHeap::allocate(100 * mebibyte));
  block[0] = block[50 * mebibyte] = variable[40 * mebibyte] = std::byte{1};
  const LargeMemory found = large_memory(with_variable());
  EXPECT_GT(found.untouched_bytes(), 150 * mebibyte);
  for (const std::byte* touched : {&block[0], &block[50 * mebibyte], &variable[40 * mebibyte]}) {
    EXPECT_TRUE(holds(found.in_use, touched));
    EXPECT_FALSE(holds(found.untouched, touched));
  }
  for (const std::byte* not_touched : {&block[25 * mebibyte], &block[90 * mebibyte], &variable[20 * mebibyte]}) {
    EXPECT_FALSE(holds(found.in_use, not_touched));
    EXPECT_TRUE(holds(found.untouched, not_touched));
  }
  RegionHeap::release(block);
}

TEST_F(LargeMemoryTest, BlockWithAllPagesTouchedIsInUse) {
  auto* const block = static_cast<std::byte*>(RegionHeap::allocate(10 * mebibyte));
  std::memset(block, 1, 10 * mebibyte);
  const LargeMemory found = large_memory({});
  EXPECT_FALSE(holds(found.untouched, block));
  EXPECT_TRUE(holds(found.in_use, block));
  EXPECT_TRUE(holds(found.in_use, block + 10 * mebibyte - 1));
  RegionHeap::release(block);
}

/// Others may have written to what this process has not touched.
TEST_F(LargeMemoryTest, SharedPartOfABlockIsInUse) {
  auto* const block = static_cast<std::byte*>(RegionHeap::allocate(64 * mebibyte));
  const std::span shared(block + 16 * mebibyte, 32 * mebibyte);
  SharedBlocks::add({.memory = shared, .own = shared.first(8 * mebibyte)});
  const LargeMemory found = large_memory({});
  SharedBlocks::remove(shared.data());
  for (const std::size_t untouched : {8, 56}) EXPECT_TRUE(holds(found.untouched, block + untouched * mebibyte));
  EXPECT_TRUE(holds(found.in_use, block + 20 * mebibyte));
  EXPECT_FALSE(holds(found.in_use, block + 40 * mebibyte));
  EXPECT_FALSE(holds(found.untouched, block + 40 * mebibyte));
  EXPECT_TRUE(holds(large_memory({}).untouched, block + 40 * mebibyte));
  RegionHeap::release(block);
}

TEST_F(LargeMemoryTest, DoesNotIncludeSmallBlocks) {
  void* const block = RegionHeap::allocate(1000);
  const LargeMemory found = large_memory({});
  EXPECT_FALSE(holds(found.untouched, block));
  EXPECT_FALSE(holds(found.in_use, block));
  RegionHeap::release(block);
}

}  // namespace
}  // namespace cppc::address
