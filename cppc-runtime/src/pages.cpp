#include "pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

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

std::uint64_t resident_bytes() {
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * page_bytes();
}

}  // namespace cppc
