#include "address/child_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace cppc::address {

namespace {

constexpr std::size_t kAlignment = 16;

/// Before each block.
struct Header {
  std::uint64_t bytes;
  std::uint64_t unused;  ///< keeps the block aligned
};
static_assert(sizeof(Header) == kAlignment);

constinit std::uintptr_t begin = 0;
constinit std::uintptr_t next = 0;
constinit std::uintptr_t end = 0;

bool is_there(const void* block) {
  const auto place = reinterpret_cast<std::uintptr_t>(block);
  return place >= begin && place < end;
}

std::uint64_t size_of(const void* block) { return (static_cast<const Header*>(block) - 1)->bytes; }

}  // namespace

tl::expected<ChildMemory, cppc_status> ChildMemory::reserve(std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return tl::unexpected(CPPC_ERR_MEMORY);
  return ChildMemory({static_cast<std::byte*>(memory), bytes});
}

ChildMemory::~ChildMemory() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

void ChildMemory::use(std::size_t first) const {
  begin = next = reinterpret_cast<std::uintptr_t>(bytes_.data()) + first;
  end = begin + bytes_.size() - first;
  child_memory::in_use = true;
}

namespace child_memory {

constinit bool in_use = false;

void* allocate(std::size_t alignment, std::size_t bytes) noexcept {
  alignment = std::max(alignment, kAlignment);
  const std::uintptr_t block = (next + sizeof(Header) + alignment - 1) / alignment * alignment;
  if (block > end || bytes > end - block) return nullptr;
  next = block + bytes;
  (reinterpret_cast<Header*>(block) - 1)->bytes = bytes;
  return reinterpret_cast<void*>(block);
}

void* resize(void* block, std::size_t bytes) noexcept {
  void* const other = allocate(kAlignment, bytes);
  if (other != nullptr && is_there(block)) std::memcpy(other, block, std::min<std::size_t>(bytes, size_of(block)));
  return other;
}

void release(void* block) noexcept {
  const auto place = reinterpret_cast<std::uintptr_t>(block);
  if (is_there(block) && place + size_of(block) == next) next = place - sizeof(Header);
}

}  // namespace child_memory

}  // namespace cppc::address
