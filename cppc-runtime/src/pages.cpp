#include "pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

namespace cppc {

namespace {

/// What lies in `memory` as whole pages of this size.
std::span<std::byte> whole_pages(std::span<std::byte> memory, std::size_t page) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::size_t skipped = (page - begin % page) % page;
  if (skipped >= memory.size()) return {};
  return memory.subspan(skipped, (memory.size() - skipped) / page * page);
}

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

void advise_huge_pages(std::span<std::byte> memory) {
  const auto pages = whole_pages(memory, huge_page);
  if (!pages.empty()) madvise(pages.data(), pages.size(), MADV_HUGEPAGE);
}

void touch(std::span<std::byte> memory) {
  const auto pages = whole_pages(memory, page_bytes());
  if (!pages.empty()) madvise(pages.data(), pages.size(), MADV_POPULATE_WRITE);  // since Linux 5.14
}

void clear(std::span<std::byte> memory) {
  constexpr std::size_t worth_a_call = std::size_t{1} << 17;
  auto pages = memory.size() >= worth_a_call ? whole_pages(memory, page_bytes()) : std::span<std::byte>();
  if (!pages.empty() && madvise(pages.data(), pages.size(), MADV_DONTNEED) != 0) pages = {};
  const std::span front = pages.empty() ? memory : memory.first(static_cast<std::size_t>(pages.data() - memory.data()));
  const std::span back = pages.empty() ? memory.last(0) : memory.subspan(front.size() + pages.size());
  std::memset(front.data(), 0, front.size());
  std::memset(back.data(), 0, back.size());
}

std::uint64_t resident_bytes() {
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * page_bytes();
}

}  // namespace cppc
