/// Cuts an image into the pieces that are sent one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric.hpp"

namespace cppc::fabric {

/// A gapless range of the image file. One piece is sent from where it lies; several small ones are copied together.
struct Chunk {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::vector<std::span<const std::byte>> pieces;
};

class Chunker {
 public:
  /// `extents`: in rising order, not overlapping.
  Chunker(std::span<const Extent> extents, std::size_t chunk_bytes) : extents_(extents), chunk_bytes_(chunk_bytes) {}

  /// Nothing once all bytes are handed out.
  std::optional<Chunk> next();

 private:
  [[nodiscard]] std::span<const std::byte> rest() const { return extents_[extent_].bytes.subspan(done_); }
  void advance(std::size_t bytes);

  std::span<const Extent> extents_;
  std::size_t chunk_bytes_;
  std::size_t extent_ = 0;
  std::size_t done_ = 0;  // bytes of extents_[extent_]
};

}  // namespace cppc::fabric
