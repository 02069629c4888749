/// The index of an image: its objects and where they are in the file.
#pragma once

#include <cstdint>
#include <span>
#include <tl/expected.hpp>
#include <vector>

#include "cppc/image.hpp"
#include "format.hpp"

namespace cppc::image {

/// Where an object's elements are.
struct Place {
  std::uint64_t element_bytes = 0;
  std::span<const std::byte> stored;  // the elements stored, one after the other
  std::span<const RunRow> runs;       // of them, with `stored_at` from the start of `stored`
  bool holes = false;                 // the others are dead, not zero
};

struct Index {
  std::vector<Entry> entries;
  std::vector<Place> places;  // of the entries
  std::vector<RunRow> runs;
};

/// Reads the index of a file whose checksum is right. That does not make it true: CPPC_ERR_IMAGE unless everything that
/// is used as an address or a size is consistent and within the file. Throws std::bad_alloc.
tl::expected<Index, cppc_status> read_index(std::span<const std::byte> file, const Header& header);

}  // namespace cppc::image
