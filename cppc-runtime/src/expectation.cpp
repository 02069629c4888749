#include "expectation.hpp"

#include <new>

#include "heap.hpp"
#include "pages.hpp"
#include "registry.hpp"

namespace cppc {

namespace {

/// Large variables are touched although nothing may come for them: the program is the same, and has room for them.
void expect_globals() {
  for (const Variable& global : registry().globals) {
    const std::size_t bytes = global.count * global.type->size;
    if (bytes < Heap::large_block) continue;
    const std::span memory(static_cast<std::byte*>(global.address), bytes);
    advise_huge_pages(memory);
    touch(memory);
  }
}

}  // namespace

std::uint64_t large_blocks(std::span<std::uint64_t> sizes) noexcept try {
  // A large block may have hardly been touched. Then it is better left alone; which one it is need not be known.
  std::uint64_t left = resident_bytes();
  std::uint64_t count = 0;
  for (const std::size_t size : heap().large_sizes()) {
    if (count == sizes.size()) break;
    if (size > left) continue;
    left -= size;
    sizes[count++] = size;
  }
  return count;
} catch (const std::bad_alloc&) {
  return 0;  // nothing is prepared for then
}

void expect(std::span<const std::uint64_t> sizes) noexcept try {
  expect_globals();
  for (const std::uint64_t size : sizes) heap().expect(size);
} catch (const std::bad_alloc&) {
  // When the blocks really come there may be room for them; else that is said then.
}

}  // namespace cppc
