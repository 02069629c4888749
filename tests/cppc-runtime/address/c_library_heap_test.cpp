#include "address/c_library_heap.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <random>
#include <span>
#include <thread>
#include <vector>

namespace cppc::address {
namespace {

struct Free {
  void operator()(void* block) const { std::free(block); }
};
using Block = std::unique_ptr<void, Free>;

/// As it is in a program whose state is kept by address, the heap cannot grow where it began.
void close_break() {
  const auto end = (reinterpret_cast<std::uintptr_t>(sbrk(0)) + 4095) / 4096 * 4096;
  mmap(reinterpret_cast<void*>(end), 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

/// Of many sizes, of which some are given back.
std::vector<Block> many_blocks(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Block> blocks;
  for (int i = 0; i < 20000; ++i) {
    blocks.emplace_back(std::malloc(random() % 100 == 0 ? random() % 400000 : random() % 2000));
    if (random() % 3 == 0) blocks[random() % blocks.size()].reset();
  }
  std::erase(blocks, nullptr);
  return blocks;
}

/// How many of the blocks the heap does not know.
std::size_t unknown(std::span<const Block> blocks) {
  const MemoryMap memory = MemoryMap::read().value();
  CLibraryHeap heap;
  std::size_t missing = 0;
  for (const Block& block : blocks)
    missing += heap.holds(*memory.find(block.get()), reinterpret_cast<std::uintptr_t>(block.get()) + 3) ? 0 : 1;
  return missing;
}

TEST(CLibraryHeap, HasTheBlocksOfTheMainThread) {
  close_break();
  const auto blocks = many_blocks(1);
  EXPECT_EQ(unknown(blocks), 0U) << "of " << blocks.size();
}

TEST(CLibraryHeap, HasTheBlocksOfOtherThreads) {
  std::vector<Block> blocks;
  std::thread([&] { blocks = many_blocks(2); }).join();
  EXPECT_EQ(unknown(blocks), 0U) << "of " << blocks.size();
}

TEST(CLibraryHeap, HasWhatAnotherThreadHasGivenBack) {
  std::uintptr_t last = 0;
  std::vector<Block> blocks;
  std::thread([&] {
    for (int i = 0; i < 10000; ++i) blocks.emplace_back(std::malloc(1000));
    last = reinterpret_cast<std::uintptr_t>(blocks.back().get());
    blocks.clear();
  }).join();
  const MemoryMap memory = MemoryMap::read().value();
  const MemoryMap::Range* const range = memory.find(reinterpret_cast<const void*>(last));
  ASSERT_NE(range, nullptr);
  EXPECT_TRUE(CLibraryHeap().holds(*range, last));
}

class Mapping : public testing::TestWithParam<std::uint64_t> {};

/// Each word of the memory holds the parameter: 0 as the system gives it, small numbers that may be taken for sizes.
TEST_P(Mapping, IsNoPartOfIt) {
  constexpr std::size_t bytes = 1 << 20;
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  for (std::uint64_t& word : std::span(static_cast<std::uint64_t*>(mapped), bytes / sizeof(std::uint64_t)))
    word = GetParam();
  const MemoryMap memory = MemoryMap::read().value();
  CLibraryHeap heap;
  for (std::size_t offset = 0; offset < bytes; offset += 40000) {
    const auto address = reinterpret_cast<std::uintptr_t>(mapped) + offset;
    EXPECT_FALSE(heap.holds(*memory.find(reinterpret_cast<void*>(address)), address)) << offset;
  }
  munmap(mapped, bytes);
}

INSTANTIATE_TEST_SUITE_P(Values, Mapping, testing::Values(0, 1, 2, 16, 17, 32, 4098, ~std::uint64_t{0}));

}  // namespace
}  // namespace cppc::address
