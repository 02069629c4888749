/// The tracked heap behaves as the C library's.
#include "heap.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "cppc/cppc.h"
#include "expectation.hpp"

namespace cppc {
namespace {

const HeapBlock* find(const std::vector<Heap::Entry>& entries, const void* address) {
  const auto found = std::ranges::find(entries, address, &Heap::Entry::address);
  return found != entries.end() ? &found->block : nullptr;
}

class HeapTest : public testing::Test {
 protected:
  std::size_t blocks_before_ = heap().blocks().size();
  std::uint64_t bytes_before_ = heap().bytes();

  void TearDown() override {
    EXPECT_EQ(heap().blocks().size(), blocks_before_);
    EXPECT_EQ(heap().count(), blocks_before_);
    EXPECT_EQ(heap().bytes(), bytes_before_);
  }
};

TEST_F(HeapTest, TracksBlocks) {
  void* block = cppc_malloc(&cppc_type_double, 800);
  const auto entries = heap().blocks();
  const HeapBlock* entry = find(entries, block);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->bytes, 800U);
  EXPECT_EQ(entry->type, &cppc_type_double);
  EXPECT_EQ(heap().bytes(), bytes_before_ + 800);
  cppc_free(block);
}

TEST_F(HeapTest, CountsSmallAndLargeBlocks) {
  std::vector<void*> blocks;
  for (const std::size_t bytes : {0, 8, 48, 48, 1024, 1025, 3'000'000})
    blocks.push_back(cppc_malloc(&cppc_type_char, bytes));
  EXPECT_EQ(heap().count(), blocks_before_ + 7);
  blocks[1] = cppc_realloc(&cppc_type_char, blocks[1], 5000);
  EXPECT_EQ(heap().count(), blocks_before_ + 7);
  for (void* block : blocks) cppc_free(block);
}

TEST_F(HeapTest, KeepsNumberAndContentsOverRealloc) {
  auto* block = static_cast<char*>(cppc_malloc(&cppc_type_char, 10));
  std::memcpy(block, "012345678", 10);
  const std::uint64_t number = find(heap().blocks(), block)->number;
  block = static_cast<char*>(cppc_realloc(&cppc_type_char, block, 1000000));
  ASSERT_NE(block, nullptr);
  EXPECT_STREQ(block, "012345678");
  const auto entries = heap().blocks();
  EXPECT_EQ(find(entries, block)->number, number);
  EXPECT_EQ(find(entries, block)->bytes, 1000000U);
  cppc_free(block);
}

TEST_F(HeapTest, GivesNullPointersWhereNothingWasSet) {
  for (int round = 0; round < 10; ++round) {  // so that memory is used again
    auto** block = static_cast<void**>(cppc_malloc(&cppc_type_pointer, 64 * sizeof(void*)));
    EXPECT_TRUE(std::all_of(block, block + 64, [](void* p) { return p == nullptr; }));
    block = static_cast<void**>(cppc_realloc(&cppc_type_pointer, block, 256 * sizeof(void*)));
    EXPECT_TRUE(std::all_of(block, block + 256, [](void* p) { return p == nullptr; }));
    std::memset(block, 0xff, 256 * sizeof(void*));
    cppc_free(block);
  }
}

TEST_F(HeapTest, CallocZeroesAndChecksTheProduct) {
  auto* block = static_cast<unsigned char*>(cppc_calloc(&cppc_type_int, 100, 4));
  EXPECT_TRUE(std::all_of(block, block + 400, [](unsigned char c) { return c == 0; }));
  EXPECT_EQ(find(heap().blocks(), block)->bytes, 400U);
  cppc_free(block);
  errno = 0;
  EXPECT_EQ(cppc_calloc(&cppc_type_int, SIZE_MAX / 2, 4), nullptr);
  EXPECT_EQ(errno, ENOMEM);
}

TEST_F(HeapTest, TellsThatThereIsNoMemory) {
  errno = 0;
  EXPECT_EQ(cppc_malloc(&cppc_type_char, PTRDIFF_MAX), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  void* block = cppc_malloc(&cppc_type_char, 8);
  errno = 0;
  EXPECT_EQ(cppc_realloc(&cppc_type_char, block, PTRDIFF_MAX), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_EQ(find(heap().blocks(), block)->bytes, 8U) << "a block that could not grow is as before";
  cppc_free(block);
}

TEST_F(HeapTest, TakesNullAndZero) {
  cppc_free(nullptr);
  void* empty = cppc_malloc(&cppc_type_int, 0);
  EXPECT_NE(empty, nullptr);
  EXPECT_EQ(find(heap().blocks(), empty)->bytes, 0U);
  EXPECT_EQ(cppc_realloc(&cppc_type_int, empty, 0), nullptr);
  void* block = cppc_realloc(&cppc_type_int, nullptr, 12);
  EXPECT_EQ(find(heap().blocks(), block)->bytes, 12U);
  cppc_free(block);
}

TEST_F(HeapTest, TakesBlocksOfTheCLibrary) {
  cppc_free(strdup("gone"));
  auto* text = static_cast<char*>(cppc_realloc(&cppc_type_char, strdup("kept"), 1000));
  EXPECT_STREQ(text, "kept");
  ASSERT_NE(find(heap().blocks(), text), nullptr) << "from now on it belongs to the state";
  EXPECT_EQ(find(heap().blocks(), text)->bytes, 1000U);
  cppc_free(text);
}

TEST_F(HeapTest, AlignsAsAsked) {
  for (const std::size_t alignment : {16, 64, 4096}) {
    void* block = cppc_aligned_alloc(&cppc_type_double, alignment, 4 * alignment);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0U);
    EXPECT_EQ(find(heap().blocks(), block)->alignment, alignment);
    cppc_free(block);
  }
}

TEST_F(HeapTest, LargeBlocksBeginWithACacheLineAndAreZeroWhereAsked) {
  const auto offset = [](const void* block) { return reinterpret_cast<std::uintptr_t>(block) % 64; };
  for (const std::size_t bytes : {1 << 20, (1 << 20) + 1, 8 << 20}) {
    void* dirty = cppc_malloc(&cppc_type_char, bytes);
    EXPECT_EQ(offset(dirty), 0U);
    std::memset(dirty, 1, bytes);
    cppc_free(dirty);
    auto* block = static_cast<char*>(cppc_calloc(&cppc_type_char, 1, bytes));
    EXPECT_EQ(offset(block), 0U);
    EXPECT_EQ(std::count(block, block + bytes, 0), static_cast<std::ptrdiff_t>(bytes));
    std::memset(block, 2, bytes);
    block = static_cast<char*>(cppc_realloc(&cppc_type_char, block, 3 * bytes));
    EXPECT_EQ(offset(block), 0U);
    EXPECT_EQ(std::count(block, block + bytes, 2), static_cast<std::ptrdiff_t>(bytes));
    cppc_free(block);
  }
  void* taken = cppc_realloc(&cppc_type_char, std::malloc(3000), 3 << 20);
  EXPECT_EQ(offset(taken), 0U) << "from the C library";
  cppc_free(taken);
}

TEST_F(HeapTest, ListsBlocksByNumber) {
  std::vector<void*> blocks;
  for (int i = 0; i < 1000; ++i) blocks.push_back(cppc_malloc(&cppc_type_int, 4));
  const auto number = [](const Heap::Entry& entry) { return entry.block.number; };
  EXPECT_TRUE(std::ranges::is_sorted(heap().blocks(), {}, number));
  for (void* block : blocks) cppc_free(block);
}

TEST_F(HeapTest, LeavesNumbersToAnImage) {
  void* own = cppc_malloc(&cppc_type_int, 4);
  const std::uint64_t next = heap().next_number() + 100;
  heap().reserve_numbers(next);
  EXPECT_GE(find(heap().blocks(), own)->number, next);
  void* adopted = heap().adopt({next - 1, 3 << 20, 0, &cppc_type_double}, false);
  EXPECT_EQ(find(heap().blocks(), adopted)->number, next - 1);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(adopted) % (2 << 20), 0U);
  cppc_free(adopted);
  cppc_free(own);
}

TEST_F(HeapTest, ForgetsALargeBlockWhoseMemoryIsUsedAgain) {
  void* lost = cppc_malloc(&cppc_type_int, 2400);
  std::free(lost);
  void* next = cppc_malloc(&cppc_type_char, 2390);
  ASSERT_EQ(next, lost) << "the C library hands out the memory freed last";
  EXPECT_EQ(heap().bytes(), bytes_before_ + 2390);
  cppc_free(next);
}

TEST_F(HeapTest, MovesBlocksBetweenSmallAndLarge) {
  auto* block = static_cast<unsigned char*>(cppc_malloc(&cppc_type_unsigned_char, 1));
  const std::uint64_t number = find(heap().blocks(), block)->number;
  std::size_t before = 1;
  for (const std::size_t bytes : {17UL, 32UL, 31UL, 1024UL, 1025UL, 100000UL, 1024UL, 5UL}) {
    std::iota(block, block + before, static_cast<unsigned char>(before));
    block = static_cast<unsigned char*>(cppc_realloc(&cppc_type_unsigned_char, block, bytes));
    for (std::size_t i = 0; i < std::min(before, bytes); ++i) {
      ASSERT_EQ(block[i], static_cast<unsigned char>(before + i)) << before << " -> " << bytes;
    }
    const auto entries = heap().blocks();
    ASSERT_NE(find(entries, block), nullptr);
    EXPECT_EQ(find(entries, block)->bytes, bytes);
    EXPECT_EQ(find(entries, block)->number, number);
    EXPECT_EQ(heap().bytes(), bytes_before_ + bytes);
    before = bytes;
  }
  cppc_free(block);
}

TEST_F(HeapTest, KeepsManySmallBlocksApart) {
  std::mt19937 random(1);
  std::map<unsigned char*, std::pair<std::size_t, unsigned char>> blocks;  // size and contents
  for (int round = 0; round < 200000; ++round) {
    if (blocks.size() < 5000 || random() % 2 == 0) {
      const std::size_t bytes = random() % 1100;
      auto* block = static_cast<unsigned char*>(cppc_malloc(&cppc_type_bytes, bytes));
      ASSERT_TRUE(std::all_of(block, block + bytes, [](unsigned char c) { return c == 0; }));
      const auto mark = static_cast<unsigned char>(random() % 255 + 1);
      std::memset(block, mark, bytes);
      ASSERT_TRUE(blocks.emplace(block, std::pair(bytes, mark)).second);
    } else {
      const auto victim = std::next(blocks.begin(), static_cast<long>(random() % 50));
      const auto [bytes, mark] = victim->second;
      ASSERT_TRUE(
          std::all_of(victim->first, victim->first + bytes, [mark = mark](unsigned char c) { return c == mark; }));
      cppc_free(victim->first);
      blocks.erase(victim);
    }
  }
  const auto entries = heap().blocks();
  EXPECT_EQ(entries.size(), blocks_before_ + blocks.size());
  for (const auto& [address, block] : entries) {
    const auto found = blocks.find(reinterpret_cast<unsigned char*>(address));
    if (found != blocks.end()) {
      EXPECT_EQ(found->second.first, block.bytes);
    }
  }
  for (const auto& [block, contents] : blocks) cppc_free(block);
}

TEST_F(HeapTest, UsesEmptySlabsForOtherSizes) {
  constexpr std::size_t number = 10000;
  std::vector<void*> blocks(number);
  std::set<std::uintptr_t> places;
  for (const std::size_t bytes : {500, 480}) {
    for (void*& block : blocks) {
      block = cppc_malloc(&cppc_type_bytes, bytes);
      places.insert(reinterpret_cast<std::uintptr_t>(block) >> 16);
    }
    for (void* block : blocks) cppc_free(block);
  }
  EXPECT_LT(places.size(), number * 520 / 65536 * 3 / 2);
}

TEST_F(HeapTest, KnowsWhatWasFreed) {
  int local = 0;
  for (const std::size_t bytes : {40UL, 4000UL}) {
    auto* block = static_cast<std::byte*>(cppc_malloc(&cppc_type_int, bytes));
    EXPECT_NE(find(heap().blocks(), block), nullptr);
    cppc_free(block);
    EXPECT_TRUE(heap().freed(block));
    EXPECT_TRUE(heap().freed(block + bytes - 1));
  }
  EXPECT_FALSE(heap().freed(&local));
}

TEST_F(HeapTest, GivesABlockItsTypeLater) {
  for (const std::size_t bytes : {64UL, 6400UL}) {
    auto* block = static_cast<std::byte*>(cppc_malloc(&cppc_type_bytes, bytes));
    EXPECT_EQ(cppc_typed(&cppc_type_double, block + 16), block + 16);
    EXPECT_EQ(find(heap().blocks(), block)->type, &cppc_type_bytes) << "not the start of the block";
    EXPECT_EQ(cppc_typed(&cppc_type_double, block), block);
    EXPECT_EQ(find(heap().blocks(), block)->type, &cppc_type_double);
    cppc_typed(&cppc_type_int, block);
    EXPECT_EQ(find(heap().blocks(), block)->type, &cppc_type_double) << "it has one";
    cppc_free(block);
    cppc_typed(&cppc_type_int, block);
  }
  EXPECT_EQ(cppc_typed(&cppc_type_int, nullptr), nullptr);
  std::unique_ptr<char, decltype(&std::free)> foreign(strdup("of the C library"), std::free);
  cppc_typed(&cppc_type_int, foreign.get());
}

TEST_F(HeapTest, CopiesStrings) {
  char* copy = cppc_strdup("twelve bytes");
  EXPECT_STREQ(copy, "twelve bytes");
  EXPECT_EQ(find(heap().blocks(), copy)->bytes, 13U);
  cppc_free(copy);
  const std::array<char, 3> unterminated{'a', 'b', 'c'};
  copy = cppc_strndup(unterminated.data(), 3);
  EXPECT_STREQ(copy, "abc");
  cppc_free(copy);
  copy = cppc_strndup("ab", 100);
  EXPECT_EQ(find(heap().blocks(), copy)->bytes, 3U);
  cppc_free(copy);
}

TEST_F(HeapTest, TellsErrorsOfMemalignInItsResult) {
  void* block = nullptr;
  EXPECT_EQ(cppc_posix_memalign(&cppc_type_double, &block, 24, 8), EINVAL);
  EXPECT_EQ(cppc_posix_memalign(&cppc_type_double, &block, 4, 8), EINVAL);
  errno = 0;
  EXPECT_EQ(cppc_posix_memalign(&cppc_type_double, &block, 64, PTRDIFF_MAX), ENOMEM);
  EXPECT_EQ(errno, 0);
  EXPECT_EQ(block, nullptr);
  ASSERT_EQ(cppc_posix_memalign(&cppc_type_double, &block, 4096, 100), 0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 4096, 0U);
  cppc_free(block);
}

bool in_memory(void* block, std::size_t bytes) {
  std::vector<unsigned char> pages((bytes + 4095) / 4096);
  return mincore(block, bytes, pages.data()) == 0 &&
         std::ranges::all_of(pages, [](unsigned char page) { return (page & 1U) != 0; });
}

TEST_F(HeapTest, ExpectedMemoryIsThereAlready) {
  constexpr std::size_t bytes = std::size_t{8} << 20;
  heap().reserve_numbers(1000);
  const std::array<std::uint64_t, 2> sizes{bytes, bytes};
  expect(sizes);
  void* block = heap().adopt({990, bytes, 0, &cppc_type_double}, false);
  EXPECT_TRUE(in_memory(block, bytes));
  void* other = heap().adopt({991, bytes + 4096, 0, &cppc_type_double}, false);
  EXPECT_FALSE(in_memory(other, bytes + 4096));  // of another size
  heap().expect_no_more();
  void* late = heap().adopt({992, bytes, 0, &cppc_type_double}, false);
  EXPECT_FALSE(in_memory(late, bytes));
  for (void* one : {block, other, late}) cppc_free(one);
}

TEST_F(HeapTest, TellsWhatIsWorthPreparingFor) {
  void* two = cppc_malloc(&cppc_type_double, std::size_t{2} << 20);
  void* four = cppc_malloc(&cppc_type_double, std::size_t{4} << 20);
  void* small = cppc_malloc(&cppc_type_double, 1000);
  std::memset(two, 1, std::size_t{2} << 20);
  std::memset(four, 1, std::size_t{4} << 20);
  void* untouched = cppc_calloc(&cppc_type_double, std::size_t{1} << 30, 4);
  std::array<std::uint64_t, 4> sizes{};
  ASSERT_EQ(large_blocks(sizes), 2U);
  EXPECT_EQ(sizes[0], std::uint64_t{4} << 20);
  EXPECT_EQ(sizes[1], std::uint64_t{2} << 20);
  EXPECT_EQ(large_blocks(std::span(sizes).first(1)), 1U);
  for (void* one : {two, four, small, untouched}) cppc_free(one);
}

TEST(HeapDeathTest, StopsAProgramThatFreesTwice) {
  void* block = cppc_malloc(&cppc_type_int, 40);
  cppc_free(block);
  EXPECT_DEATH(cppc_free(block), "cppc_free\\(\\): 0x[0-9a-f]+ is no block in use");
}

}  // namespace
}  // namespace cppc
