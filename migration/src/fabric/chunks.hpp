/// Cuts what is to be sent into the pieces that are sent one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric.hpp"
#include "fabric/places.hpp"

namespace cppc::fabric {

/// A gapless range of the file.
struct Chunk {
  std::uint64_t index = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  Coding coding = Coding::plain;
  std::vector<std::span<const std::byte>> pieces;  // none when zero, one when plain
};

class Chunker {
 public:
  struct Limits {
    std::size_t plain = 0;   ///< bytes of a chunk that is sent from where it lies
    std::size_t packed = 0;  ///< bytes of one that is copied together
  };

  /// `extents`: in rising order, not overlapping. Chunks are numbered from `first_index` on. All must outlive it.
  Chunker(std::span<const Extent> extents, const Limits& limits, const Places& places, std::uint64_t first_index = 0)
      : extents_(extents), limits_(limits), places_(places), index_(first_index) {
    skip_empty();
  }

  /// Nothing once all bytes are handed out.
  std::optional<Chunk> next();
  [[nodiscard]] bool at_end() const { return extent_ == extents_.size(); }

  /// Whether all that comes next is packed, even what could be sent from where it lies.
  void pack_all(bool all) { pack_all_ = all; }

  /// How many were handed out, those before first_index included.
  [[nodiscard]] std::uint64_t count() const { return index_; }

  /// A chunk that was handed out before; nothing when it cannot have been.
  [[nodiscard]] std::optional<Chunk> again(std::uint64_t index, std::uint64_t offset, std::uint64_t bytes,
                                           Coding coding) const;

 private:
  [[nodiscard]] std::span<const std::byte> rest() const { return extents_[extent_].bytes.subspan(done_); }
  [[nodiscard]] std::uint64_t offset() const { return extents_[extent_].offset + done_; }
  [[nodiscard]] bool at_large_extent() const;
  [[nodiscard]] bool fits(const Chunk& chunk) const;
  std::size_t plain_bytes();
  void take(Chunk& chunk, std::size_t bytes);
  void gather(Chunk& chunk);
  void skip_empty();

  std::span<const Extent> extents_;
  const Limits limits_;
  const Places& places_;
  std::uint64_t index_;
  bool pack_all_ = false;
  std::size_t extent_ = 0;
  std::size_t done_ = 0;  // bytes of extents_[extent_]
};

}  // namespace cppc::fabric
