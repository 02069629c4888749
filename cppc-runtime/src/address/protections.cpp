#include "address/protections.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "log.hpp"
#include "pages.hpp"

namespace cppc::address {

namespace {

cppc_status set(const Protection& pages, int allowed) {
  if (mprotect(reinterpret_cast<void*>(pages.begin), pages.bytes, allowed) == 0) return CPPC_OK;
  log().error("memory at {:x} cannot be protected in another way: {}", pages.begin, std::strerror(errno));
  return CPPC_ERR_SYSTEM;
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
  cppc_status status = CPPC_OK;
  for (const Protection& one : protections)
    if (status == CPPC_OK) status = set(one, one.allowed);
  return status;
}

tl::expected<Readable, cppc_status> Readable::open(std::span<const Protection> protections) {
  Readable readable;
  for (const Protection& one : protections) {
    if ((one.allowed & PROT_READ) != 0) continue;
    if (const cppc_status status = set(one, one.allowed | PROT_READ); status != CPPC_OK) return tl::unexpected(status);
    readable.opened_.push_back(one);
  }
  return readable;
}

Readable::~Readable() {
  for (const Protection& one : opened_) (void)set(one, one.allowed);  // which tells what it could not do
}

}  // namespace cppc::address
