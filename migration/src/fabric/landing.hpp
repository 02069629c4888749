/// Where the parts of an image belong in the target's memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric.hpp"

namespace cppc::fabric {

class Landing {
 public:
  Landing() = default;
  /// Nothing unless the places are in rising order and do not overlap in the file.
  static std::optional<Landing> at(std::vector<Place> places);

  [[nodiscard]] std::span<const Place> places() const { return places_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }  ///< of all places

  /// The memory of these bytes of the file, when it is in one piece.
  [[nodiscard]] std::optional<std::span<std::byte>> in_one(std::uint64_t offset, std::uint64_t bytes) const;

  /// Copies into the file's bytes from `offset` on; false when some of them belong nowhere.
  bool write(std::uint64_t offset, std::span<const std::byte> contents) const;

  /// The same for zeros. Memory that is zero already is not touched.
  bool clear(std::uint64_t offset, std::uint64_t bytes) const;

 private:
  template <class Use>
  bool each_part(std::uint64_t offset, std::uint64_t bytes, Use use) const;

  std::vector<Place> places_;
  std::uint64_t bytes_ = 0;
};

}  // namespace cppc::fabric
