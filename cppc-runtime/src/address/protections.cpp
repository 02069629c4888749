#include "address/protections.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "log.hpp"

namespace cppc::address {

namespace {

bool set(const Protection& pages, int allowed) {
  return mprotect(reinterpret_cast<void*>(pages.begin), pages.bytes, allowed) == 0;
}

}  // namespace

std::vector<Protection> protections_of(const MemoryMap& memory, std::span<const Piece> pieces) {
  std::vector<Protection> found;
  for (const Piece& piece : pieces) {
    if (piece.section == CPPC_SECTION_MAPPING || piece.memory.empty()) continue;
    const auto begin = reinterpret_cast<std::uintptr_t>(piece.memory.data()), end = begin + piece.memory.size();
    const auto& ranges = memory.ranges();
    auto range = std::ranges::upper_bound(ranges, begin, std::less<>(), &MemoryMap::Range::end);
    for (; range != ranges.end() && range->begin < end; ++range) {
      if (range->protection == (PROT_READ | PROT_WRITE)) continue;
      const auto [first, behind] = pages_of(piece.memory);
      const auto from = std::max(range->begin, first), to = std::min(range->end, behind);
      found.push_back({from, to - from, range->protection});
    }
  }
  return found;
}

cppc_status protect(std::span<const Protection> protections) {
  for (const Protection& one : protections) {
    if (set(one, one.allowed)) continue;
    log().error("memory at {} cannot be protected as before: {}", reinterpret_cast<void*>(one.begin),
                std::strerror(errno));
    return CPPC_ERR_SYSTEM;
  }
  return CPPC_OK;
}

Readable::Readable(std::span<const Protection> protections) {
  for (const Protection& one : protections)
    if ((one.allowed & PROT_READ) == 0 && set(one, one.allowed | PROT_READ)) opened_.push_back(one);
}

Readable::~Readable() { (void)protect(opened_); }

}  // namespace cppc::address
