#include "huge_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

namespace cppc::migration {
namespace {

constexpr std::size_t kHuge = std::size_t{1} << 21;
constexpr int kCollapse = 25;  // MADV_COLLAPSE, which older headers lack

/// The system joins pages even where its administrator wants no huge ones.
bool are_wanted() {
  std::ifstream setting("/sys/kernel/mm/transparent_hugepage/enabled");
  const std::string text{std::istreambuf_iterator<char>(setting), {}};
  return text.find("[always]") != std::string::npos || text.find("[madvise]") != std::string::npos;
}

}  // namespace

bool all_in_memory(std::span<std::byte> memory) {
  std::vector<unsigned char> pages(memory.size() / static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  return mincore(memory.data(), memory.size(), pages.data()) == 0 &&
         std::ranges::all_of(pages, [](unsigned char page) { return (page & 1) != 0; });
}

void join_huge_pages(const std::vector<std::span<std::byte>>& memory, const std::stop_token& stop) {
  if (!are_wanted()) return;
  for (const auto range : memory) {
    const std::size_t skipped = -reinterpret_cast<std::uintptr_t>(range.data()) % kHuge;
    for (std::size_t at = skipped; at + kHuge <= range.size(); at += kHuge) {
      if (stop.stop_requested()) return;
      const auto huge = range.subspan(at, kHuge);
      if (all_in_memory(huge)) madvise(huge.data(), huge.size(), kCollapse);  // advice
    }
  }
}

}  // namespace cppc::migration
