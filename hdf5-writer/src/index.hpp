/// The index of an image: its objects and where they are in the file.
#pragma once

#include <cstdint>
#include <span>
#include <tl/expected.hpp>
#include <vector>

#include "cppc/image.hpp"
#include "file_view.hpp"
#include "format.hpp"
#include "store.hpp"

namespace cppc::image {

struct Index {
  std::vector<Entry> entries;
  std::vector<Stored> stored;             // of all entries, one entry after the other
  std::vector<std::size_t> first_stored;  // of each entry, and the end
  std::vector<Range> head;                // of the file
};

/// Reads the index of a file. That its head has the right checksum does not make it true: CPPC_ERR_IMAGE unless
/// everything that is used as an address or a size is consistent and within the file. `keep_alive` may be empty. Throws
/// std::bad_alloc.
tl::expected<Index, cppc_status> read_index(const FileView& file, const Header& header, const KeepAlive& keep_alive);

}  // namespace cppc::image
