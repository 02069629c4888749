#include "pages.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "cppc/unique_fd.hpp"

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

/// Whether no page of it is in memory or swapped out, asked for each range that the system knows as one: page by page,
/// a terabyte that is only kept free takes a second. False as well when the system does not say.
bool no_page_in_ranges(std::span<const std::byte> memory) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::uintptr_t end = begin + memory.size();
  std::uintptr_t known_to = begin;
  std::ifstream file("/proc/self/smaps");
  bool within = false;
  for (std::string line; std::getline(file, line);) {
    std::uintptr_t from = 0;
    std::uintptr_t to = 0;
    std::uintptr_t kilobytes = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &from, &to) == 2) {
      within = from < end && to > begin;
      if (from > known_to && from < end) return false;
      if (within) known_to = to;
    } else if (within && (std::sscanf(line.c_str(), "Rss: %lu", &kilobytes) == 1 ||
                          std::sscanf(line.c_str(), "Swap: %lu", &kilobytes) == 1)) {
      if (kilobytes != 0) return false;
    }
    if (from >= end) break;
  }
  return known_to >= end;
}

}  // namespace

std::pair<std::uintptr_t, std::uintptr_t> pages_of(std::span<const std::byte> memory) {
  const std::size_t page = page_bytes();
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
  return {begin / page * page, (begin + memory.size() + page - 1) / page * page};
}

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

void visit_untouched(std::span<std::byte> memory, std::size_t least,
                     const std::function<bool(std::span<std::byte>)>& show) {
  constexpr std::uint64_t present_or_swapped = std::uint64_t{3} << 62;
  constexpr std::size_t at_once = 8192;  // so that the list of a large memory is not large, too
  constexpr std::uint64_t worth_the_ranges = std::uint64_t{1} << 34;
  const std::size_t page = page_bytes();
  const auto pages = whole_pages(memory, page);
  if (pages.size() >= std::max<std::uint64_t>(least, worth_the_ranges) && no_page_in_ranges(pages)) {
    (void)show(pages);
    return;
  }
  const std::size_t count = pages.size() / page;
  const std::size_t first = reinterpret_cast<std::uintptr_t>(pages.data()) / page;
  const UniqueFd file(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  std::vector<std::uint64_t> entries(std::min(count, at_once));
  std::size_t begin = 0;  // of the run at hand, which ends where the next page to be looked at is
  const auto end_run = [&](std::size_t end) {
    const std::size_t bytes = (end - begin) * page;
    return bytes == 0 || bytes < least || show(pages.subspan(begin * page, bytes));
  };
  std::size_t done = 0;
  while (done < count) {
    const std::size_t wanted = std::min(entries.size(), count - done) * sizeof(std::uint64_t);
    const ssize_t got =
        pread(file.get(), entries.data(), wanted, static_cast<off_t>((first + done) * sizeof(std::uint64_t)));
    if (got < static_cast<ssize_t>(sizeof(std::uint64_t))) break;
    for (const std::uint64_t entry : std::span(entries).first(static_cast<std::size_t>(got) / sizeof(std::uint64_t))) {
      if ((entry & present_or_swapped) != 0) {
        if (!end_run(done)) return;
        begin = done + 1;
      }
      ++done;
    }
  }
  (void)end_run(done);
}

std::uint64_t resident_bytes() {
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * page_bytes();
}

}  // namespace cppc
