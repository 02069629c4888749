#include "address/c_library_heap.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <optional>

namespace cppc::address {

namespace {

constexpr std::uintptr_t kPage = 4096;

/// What a chunk begins with.
struct Header {
  std::uint64_t bytes_before;  ///< of the chunk before, if that is free
  std::uint64_t size;          ///< with the flags
};

constexpr std::uint64_t kBeforeInUse = 1, kMapped = 2, kOfAnotherArena = 4, kFlags = 7;
constexpr std::uint64_t kAlignment = 16, kSmallest = 32;
constexpr std::uint64_t kFence = 16;  ///< two such, or three, end what the system gave at a time, whole pages

/// An arena that is not the main one begins at such an address.
constexpr std::uintptr_t kArenaAlignment = std::uintptr_t{64} << 20;

struct ArenaHeader {
  std::uintptr_t arena;
  std::uintptr_t before;
  std::uint64_t bytes;         ///< in use
  std::uint64_t bytes_usable;  ///< without asking the system
};

/// So many chunks that fit together are no chance.
constexpr unsigned kMany = 8;

/// This process's memory, of which any part may go at any time: other threads free it.
class Memory {
 public:
  template <class T>
  std::optional<T> at(std::uintptr_t address) {
    if (address < begin_ || address + sizeof(T) > begin_ + bytes_) {
      if (!fetch(address) || bytes_ < sizeof(T)) return std::nullopt;
    }
    T value;
    std::memcpy(&value, buffer_.data() + (address - begin_), sizeof value);
    return value;
  }

 private:
  bool fetch(std::uintptr_t address) {
    const iovec here{buffer_.data(), buffer_.size()};
    std::array<iovec, kPages> there{};  // what is copied of each is all or nothing
    std::uintptr_t at = address;
    for (iovec& part : there) {
      part = {reinterpret_cast<void*>(at), kPage - at % kPage};
      at += part.iov_len;
    }
    const ssize_t got = process_vm_readv(getpid(), &here, 1, there.data(), there.size(), 0);
    begin_ = address;
    bytes_ = got < 0 ? 0 : static_cast<std::size_t>(got);
    return got >= 0;
  }

  static constexpr std::size_t kPages = 16;
  std::vector<std::byte> buffer_ = std::vector<std::byte>(kPages * kPage);
  std::uintptr_t begin_ = 0;
  std::size_t bytes_ = 0;
};

/// Where chunks of the main arena end that follow each other from `begin` on, beyond `target`; 0: there are none.
std::uintptr_t end_of_chunks(Memory& memory, std::uintptr_t begin, std::uintptr_t target, std::uintptr_t end) {
  std::uintptr_t at = begin;
  std::uint64_t size_before = 0;
  unsigned fences = 0;
  for (unsigned chunks = 1;; ++chunks) {
    const auto header = at + sizeof(Header) <= end ? memory.at<Header>(at) : std::nullopt;
    if (!header) return 0;
    const std::uint64_t size = header->size & ~kFlags;
    const bool in_use = (header->size & kBeforeInUse) != 0;
    if ((header->size & (kMapped | kOfAnotherArena)) != 0 || size % kAlignment != 0 || size == 0) return 0;
    if (!in_use && (at == begin || header->bytes_before != size_before)) return 0;
    const bool fence = size == kFence;
    if (size > end - at || (!fence && size < kSmallest)) return 0;
    at += size;
    fences = fence ? fences + 1 : 0;
    if (fences > 3 || (fences == 1 && (at + 2 * kFence) / kPage == at / kPage)) return 0;
    if (at > target && at % kPage == 0 && (fence || at == end || chunks >= kMany)) return at;
    size_before = size;
  }
}

/// Where the chunk that was mapped alone and begins at `page` ends, if there is one; else 0.
std::uintptr_t end_of_mapped_chunk(Memory& memory, std::uintptr_t page, std::uintptr_t end) {
  const auto header = memory.at<Header>(page);
  if (!header || (header->size & kFlags) != kMapped) return 0;
  const std::uint64_t size = header->size & ~kFlags;
  const bool fits = size >= kPage && size <= end - page && size % kPage == 0 && header->bytes_before == 0;
  return fits ? page + size : 0;
}

bool in_other_arena(Memory& memory, std::uintptr_t address, const MemoryMap::Range& range) {
  const std::uintptr_t begin = address / kArenaAlignment * kArenaAlignment;
  if (begin < range.begin) return false;
  const auto header = memory.at<ArenaHeader>(begin);
  if (!header || header->bytes_usable > kArenaAlignment || header->bytes > header->bytes_usable) return false;
  const std::uintptr_t of_arena = header->arena % kArenaAlignment;
  return header->bytes % kPage == 0 && address < begin + header->bytes_usable && of_arena != 0 && of_arena < kPage &&
         (header->before == 0 ? header->arena - of_arena == begin : header->before % kArenaAlignment == 0);
}

}  // namespace

bool CLibraryHeap::holds(const MemoryMap::Range& range, std::uintptr_t address) {
  if (range.name == "[heap]") return true;
  if (!range.name.empty() || range.shared) return false;
  const auto has = [address](const Part& one) { return address >= one.begin && address < one.end; };
  if (std::ranges::any_of(known_, has)) return true;
  Memory memory;
  if (in_other_arena(memory, address, range)) return true;
  // The system makes one range of several that lie side by side: any page may be the first of the heap's.
  for (std::uintptr_t page = range.begin; page <= address; page += kPage) {
    std::uintptr_t end = end_of_mapped_chunk(memory, page, range.end);
    if (end <= address) end = end_of_chunks(memory, page, address, range.end);
    if (end <= address) continue;
    known_.push_back({page, end});
    return true;
  }
  return false;
}

}  // namespace cppc::address
