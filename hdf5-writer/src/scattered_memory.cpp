#include "scattered_memory.hpp"

#include <algorithm>
#include <cstring>

namespace cppc::image {

bool ScatteredMemory::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  const auto ends_before = [&](const Extent& one) { return one.offset + one.bytes.size() <= offset; };
  const auto next = std::partition_point(references_.begin(), references_.end(), ends_before);
  if (next != references_.end() && next->offset < offset + bytes.size()) return false;
  while (!bytes.empty()) {
    auto& page = pages_[offset / page_bytes];
    if (page == nullptr) page = std::make_unique<Page>();
    const std::size_t at = offset % page_bytes;
    const auto part = bytes.first(std::min(bytes.size(), page_bytes - at));
    std::ranges::copy(part, page->begin() + static_cast<std::ptrdiff_t>(at));
    bytes = bytes.subspan(part.size());
    offset += part.size();
  }
  return true;
}

void ScatteredMemory::read(std::uint64_t offset, std::span<std::byte> into) const {
  std::ranges::fill(into, std::byte{0});
  const std::uint64_t end = offset + into.size();
  const auto copy = [&](std::uint64_t at, std::span<const std::byte> bytes) {
    const std::uint64_t from = std::max(at, offset);
    const std::uint64_t to = std::min<std::uint64_t>(at + bytes.size(), end);
    if (from < to) std::memcpy(into.data() + (from - offset), bytes.data() + (from - at), to - from);
  };
  for (auto page = pages_.lower_bound(offset / page_bytes); page != pages_.end() && page->first * page_bytes < end;
       ++page) {
    copy(page->first * page_bytes, *page->second);
  }
  const auto ends_before = [&](const Extent& one) { return one.offset + one.bytes.size() <= offset; };
  for (auto one = std::partition_point(references_.begin(), references_.end(), ends_before);
       one != references_.end() && one->offset < end; ++one) {
    copy(one->offset, one->bytes);
  }
}

std::uint64_t ScatteredMemory::end() const {
  const std::uint64_t pages = pages_.empty() ? 0 : (pages_.rbegin()->first + 1) * page_bytes;
  const std::uint64_t references =
      references_.empty() ? 0 : references_.back().offset + references_.back().bytes.size();
  return std::max(pages, references);
}

}  // namespace cppc::image
