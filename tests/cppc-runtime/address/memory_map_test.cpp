#include "memory_map.hpp"

#include <gtest/gtest.h>

namespace cppc {
namespace {

constexpr std::size_t kPages = 16 * 4096;

TEST(MemoryMapTest, KnowsWhatIsSharedWithOtherProcesses) {
  auto* const memory =
      static_cast<std::byte*>(mmap(nullptr, kPages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::byte* const middle = memory + kPages / 4;
  ASSERT_EQ(mmap(middle, kPages / 4, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0), middle);
  const auto map = MemoryMap::read();
  ASSERT_TRUE(map);
  EXPECT_TRUE(map->shared({memory, kPages})) << "a part of it is";
  EXPECT_TRUE(map->shared({middle + 8, 1}));
  EXPECT_FALSE(map->shared({memory, kPages / 4})) << "what ends where it begins";
  EXPECT_FALSE(map->shared({memory + kPages / 2, kPages / 2})) << "what begins where it ends";
  munmap(memory, kPages);
}

}  // namespace
}  // namespace cppc
