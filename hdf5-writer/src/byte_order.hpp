/// The index of an image that a machine with the other byte order wrote.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace cppc::image {

/// Turns the bytes around of each number that `object` consists of.
template <class Number, class T>
void swap_numbers(T& object) {
  static_assert(sizeof object % sizeof(Number) == 0);
  const auto bytes = std::as_writable_bytes(std::span(&object, 1));
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Number))
    std::ranges::reverse(bytes.subspan(at, sizeof(Number)));
}

}  // namespace cppc::image
