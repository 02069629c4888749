/// Test images: bytes that depend on their place, so that nothing can be swapped or shifted unseen.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "fabric.hpp"

namespace pattern {

struct Range {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  bool zero = false;
  bool smooth = false;
};

inline constexpr std::byte untouched{0xa5};

/// Of a range that is easy to compress.
inline std::byte smooth_at(std::uint64_t offset) { return static_cast<std::byte>(1 + offset / 1000 % 200); }

inline std::byte at(std::uint64_t offset) {
  std::uint64_t x = offset * 0x9e3779b97f4a7c15ULL;
  return static_cast<std::byte>((x ^ (x >> 29)) >> 24);
}

inline std::byte at(std::uint64_t offset, const Range& range) {
  return range.zero ? std::byte{0} : range.smooth ? smooth_at(offset) : at(offset);
}

/// "0:4096,8192:1s,9000:5000z": the second is smooth, the last is zero
inline std::vector<Range> parse_layout(const std::string& text) {
  std::vector<Range> layout;
  std::istringstream stream(text);
  Range range;
  char separator = 0;
  while (stream >> range.offset >> separator >> range.length) {
    range.zero = stream.peek() == 'z' && stream.get() != 0;
    range.smooth = stream.peek() == 's' && stream.get() != 0;
    layout.push_back(range);
    stream >> separator;
  }
  return layout;
}

/// Each range in memory of its own.
inline std::vector<std::vector<std::byte>> make(const std::vector<Range>& layout) {
  std::vector<std::vector<std::byte>> memory;
  for (const auto& range : layout) {
    auto& bytes = memory.emplace_back(range.length);
    for (std::uint64_t i = 0; i < range.length; ++i) bytes[i] = at(range.offset + i, range);
  }
  return memory;
}

inline std::vector<cppc::fabric::Extent> extents_of(const std::vector<Range>& layout,
                                                    const std::vector<std::vector<std::byte>>& memory) {
  std::vector<cppc::fabric::Extent> extents;
  for (std::size_t i = 0; i < layout.size(); ++i) extents.push_back({.offset = layout[i].offset, .bytes = memory[i]});
  return extents;
}

/// The head of every test image: in two parts, one of them zero.
inline const std::vector<Range>& head_layout() {
  static const std::vector<Range> layout{{std::uint64_t{1} << 40, 3000}, {std::uint64_t{1} << 41, 20'000, true}};
  return layout;
}
inline constexpr std::uint64_t head_bytes = 8 + 2 * 16 + 23'000;  // with the table in front of it

inline bool is_head(std::span<const cppc::fabric::Extent> head) {
  const auto memory = make(head_layout());
  const auto expected = extents_of(head_layout(), memory);
  return std::ranges::equal(head, expected, [](const auto& left, const auto& right) {
    return left.offset == right.offset && std::ranges::equal(left.bytes, right.bytes);
  });
}

/// Where the ranges belong in a buffer that holds the file.
inline std::vector<cppc::fabric::Place> places_in(std::span<std::byte> buffer, const std::vector<Range>& layout) {
  std::vector<cppc::fabric::Place> places;
  for (const auto& range : layout)
    places.push_back({.offset = range.offset, .memory = buffer.subspan(range.offset, range.length)});
  return places;
}

/// The ranges hold their pattern, and all between them is untouched.
inline bool is_right(std::span<const std::byte> buffer, const std::vector<Range>& layout) {
  std::uint64_t place = 0;
  const auto gap_is_untouched = [&](std::uint64_t end) {
    for (; place < end; ++place) {
      if (buffer[place] != untouched) return false;
    }
    return true;
  };
  for (const auto& range : layout) {
    if (!gap_is_untouched(range.offset)) return false;
    for (; place < range.offset + range.length; ++place) {
      if (buffer[place] != at(place, range)) return false;
    }
  }
  return gap_is_untouched(buffer.size());
}

inline std::string to_hex(std::span<const std::byte> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const auto byte : bytes) {
    text += digits[std::to_integer<unsigned>(byte) >> 4];
    text += digits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

inline std::vector<std::byte> from_hex(const std::string& text) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoul(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

}  // namespace pattern
