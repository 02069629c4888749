#include "address/mpi_memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdlib>
#include <memory>

namespace cppc::address {
namespace {

bool held(const void* address) {
  const MemoryMap memory = MemoryMap::read().value();
  return MpiMemory().holds(*memory.find(address), reinterpret_cast<std::uintptr_t>(address));
}

TEST(MpiMemory, HasWhatTheHeapGaveButNotToLibraries) {
  const std::unique_ptr<char, decltype(&std::free)> block(static_cast<char*>(std::calloc(1, 100)), std::free);
  EXPECT_TRUE(held(block.get()));
  note_block_of_libraries(block.get(), 100);
  EXPECT_FALSE(held(block.get()));
  EXPECT_FALSE(held(block.get() + 99));
  const std::unique_ptr<char, decltype(&std::free)> other(static_cast<char*>(std::calloc(1, 100)), std::free);
  EXPECT_TRUE(held(other.get()));
}

TEST(MpiMemory, HasMappingsThatWereNoted) {
  constexpr std::size_t bytes = 8192;
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  EXPECT_FALSE(held(mapped));
  note_mapping_of_mpi(mapped, bytes);
  EXPECT_TRUE(held(static_cast<char*>(mapped) + bytes - 1));
  munmap(mapped, bytes);
}

}  // namespace
}  // namespace cppc::address
