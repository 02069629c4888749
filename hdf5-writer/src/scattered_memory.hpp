/// Memory of a file that lies about: pages of its own for what is written to it, and references to memory of others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "cppc/image.hpp"
#include "hdf5.hpp"

namespace cppc::image {

class ScatteredMemory {
 public:
  /// False when a part of it is where others' memory is referred to.
  bool write(std::uint64_t offset, std::span<const std::byte> bytes);

  /// What nobody has written is zero.
  void read(std::uint64_t offset, std::span<std::byte> into) const;

  /// Bytes that stay where they are; behind all that was referred to before.
  void refer(const Extent& extent) { references_.push_back(extent); }
  [[nodiscard]] std::span<const Extent> references() const { return references_; }

  /// The end of what is there.
  [[nodiscard]] std::uint64_t end() const;

 private:
  static constexpr std::size_t page_bytes = 65536;  // HDF5 is asked to ask for metadata in blocks of this size
  using Page = std::array<std::byte, page_bytes>;

  std::map<std::uint64_t, std::unique_ptr<Page>> pages_;  // by offset / page_bytes
  std::vector<Extent> references_;
};

/// A file access property list with which HDF5 makes or opens the file in `memory`, whose name does not matter. The
/// driver behind it goes when the last property list and file do. `memory` must outlive them.
Hid scattered_access(ScatteredMemory& memory);

}  // namespace cppc::image
