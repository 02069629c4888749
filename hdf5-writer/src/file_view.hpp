/// A file of which some or all extents are in memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "cppc/image.hpp"

namespace cppc::image {

class FileView {
 public:
  /// Extents in rising order, not overlapping; of a file of `size` bytes, which none of them exceeds.
  /// `swapped`: the numbers of its index have the other byte order.
  FileView(std::span<const Extent> extents, std::uint64_t size, bool swapped = false)
      : extents_(extents), size_(size), swapped_(swapped) {}

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] bool swapped() const { return swapped_; }

  /// Nothing when they are not there, or in more than one piece.
  [[nodiscard]] std::optional<std::span<const std::byte>> at(std::uint64_t offset, std::uint64_t bytes) const {
    const auto ends_before = [&](const Extent& one) { return one.offset + one.bytes.size() < offset; };
    for (auto one = std::partition_point(extents_.begin(), extents_.end(), ends_before);
         one != extents_.end() && one->offset <= offset; ++one) {
      const std::uint64_t skipped = offset - one->offset;
      if (skipped <= one->bytes.size() && bytes <= one->bytes.size() - skipped) {
        return one->bytes.subspan(skipped, bytes);
      }
    }
    return std::nullopt;
  }

 private:
  std::span<const Extent> extents_;
  std::uint64_t size_;
  bool swapped_;
};

}  // namespace cppc::image
