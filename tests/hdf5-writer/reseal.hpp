/// Images whose checksum is right again after they were changed.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "format.hpp"
#include "head.hpp"
#include "index.hpp"

namespace cppc::image::samples {

inline Header header_of(const std::vector<std::byte>& file) {
  Header header{};
  std::memcpy(&header, file.data(), sizeof header);
  return header;
}

/// Makes the checksum of the head right again, and the size in the header. Where there is no telling what the head is,
/// the file is refused before.
inline void reseal(std::vector<std::byte>& file) {
  auto header = header_of(file);
  header.file_bytes = file.size();
  header.sealed = 0;
  std::memcpy(file.data(), &header, sizeof header);
  const std::vector<Extent> whole{{0, file}};
  const auto index = read_index(FileView(whole, file.size()), header, {});
  if (!index) return;
  std::vector<std::span<const std::byte>> pieces;
  for (const auto& [offset, bytes] : index->head) pieces.push_back(std::span(file).subspan(offset, bytes));
  header.checksum = checksum_of_head(pieces);
  std::memcpy(file.data(), &header, sizeof header);
}

}  // namespace cppc::image::samples
