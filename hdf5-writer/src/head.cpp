#include "head.hpp"

#include <algorithm>
#include <cstddef>

namespace cppc::image {

std::optional<std::vector<Range>> head_ranges(std::vector<Range> contents, std::uint64_t file_bytes) {
  std::erase_if(contents, [](const Range& range) { return range.bytes == 0; });
  std::ranges::sort(contents, {}, &Range::offset);
  std::vector<Range> head;
  std::uint64_t end = 0;
  for (const Range& range : contents) {
    if (range.offset < end || range.offset > file_bytes || range.bytes > file_bytes - range.offset) {
      return std::nullopt;
    }
    if (range.offset > end) {
      head.push_back({end, range.offset - end});
    }
    end = range.offset + range.bytes;
  }
  if (end < file_bytes) {
    head.push_back({end, file_bytes - end});
  }
  return head;
}

Checksum checksum_of_head(std::span<const std::span<const std::byte>> pieces) {
  constexpr std::size_t checksum_at = offsetof(Header, checksum);
  Checksummer summer;
  summer.add(pieces.front().first(checksum_at));
  summer.add(pieces.front().subspan(checksum_at + sizeof(Checksum)));
  for (const auto piece : pieces.subspan(1)) {
    summer.add(piece);
  }
  return summer.sum();
}

}  // namespace cppc::image
