// Reads an image by the addresses in its index, without HDF5: what comes from the network is not for a parser of a
// hundred thousand lines.
#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "byte_order.hpp"
#include "checksum.hpp"
#include "cppc/image.hpp"
#include "failure.hpp"
#include "format.hpp"
#include "head.hpp"
#include "index.hpp"

namespace cppc::image {

namespace {

/// The header, and whether its numbers have been turned around.
struct ReadHeader : Header {
  bool swapped = false;
};

void turn_around(Header& header) {
  swap_numbers<std::uint32_t>(header.version);
  swap_numbers<std::uint32_t>(header.byte_order);
  swap_numbers<std::uint64_t>(header.file_bytes);
  for (TablePlace* place : {&header.types, &header.members, &header.datasets, &header.objects, &header.runs})
    swap_numbers<std::uint64_t>(*place);
  swap_numbers<std::uint64_t>(header.sealed);
}

tl::expected<ReadHeader, cppc_status> read_header(std::span<const std::byte> front) {
  ReadHeader header{};
  if (front.size() < header_bytes) {
    return failure(CPPC_ERR_IMAGE, "image: {} bytes are too few", front.size());
  }
  std::memcpy(static_cast<Header*>(&header), front.data(), sizeof(Header));
  if (header.magic != magic) {
    return failure(CPPC_ERR_IMAGE, "image: this is no CPPC Live image");
  }
  header.swapped = header.byte_order != byte_order_mark;
  if (header.swapped) {
    turn_around(header);
  }
  if (header.byte_order != byte_order_mark || header.version != format_version) {
    return failure(CPPC_ERR_IMAGE, "image: format {} of another version of CPPC Live; this one reads {}",
                   header.version, format_version);
  }
  return header;
}

/// The ranges in memory. Nothing when one is not there.
std::optional<std::vector<std::span<const std::byte>>> pieces_of(const FileView& file, std::span<const Range> ranges) {
  std::vector<std::span<const std::byte>> pieces;
  for (const auto& [offset, bytes] : ranges) {
    const auto piece = file.at(offset, bytes);
    if (!piece) {
      return std::nullopt;
    }
    pieces.push_back(*piece);
  }
  return pieces;
}

tl::expected<void, cppc_status> verify_head(const FileView& file, const Header& header, const Index& index) {
  const auto pieces = pieces_of(file, index.head);
  if (!pieces || pieces->empty() || index.head.front().offset != 0) {
    return failure(CPPC_ERR_IMAGE, "image: a part of its head is missing");
  }
  if (header.checksum != checksum_of_head(*pieces)) {
    return failure(CPPC_ERR_CHECKSUM, "image: its checksum is wrong: bytes differ from those that were written");
  }
  return {};
}

/// Of a whole file: what is between the parts of its head.
tl::expected<void, cppc_status> verify_contents(std::span<const std::byte> file, const Header& header,
                                                const Index& index) {
  Checksummer summer;
  std::uint64_t end = 0;
  for (const auto& [offset, bytes] : index.head) {
    summer.add(file.subspan(end, offset - end));
    end = offset + bytes;
  }
  summer.add(file.subspan(end));
  if (summer.sum() != header.contents_checksum) {
    return failure(CPPC_ERR_CHECKSUM, "image: the checksum of its contents is wrong: bytes differ from those written");
  }
  return {};
}

tl::expected<Index, cppc_status> read_head(const FileView& file, const Header& header, const KeepAlive& keep_alive) {
  auto index = read_index(file, header, keep_alive);
  if (!index) {
    return index;
  }
  if (const auto verified = verify_head(file, header, *index); !verified) {
    return tl::make_unexpected(verified.error());
  }
  return index;
}

bool well_ordered(std::span<const Extent> extents, std::uint64_t size) {
  std::uint64_t end = 0;
  for (const auto& extent : extents) {
    if (extent.offset < end || extent.offset > size || extent.bytes.size() > size - extent.offset) {
      return false;
    }
    end = extent.offset + extent.bytes.size();
  }
  return true;
}

}  // namespace

struct Reader::Impl {
  Index index;
  std::vector<Extent> there;  // of the file
  std::uint64_t size = 0;
  bool sealed = false;
};

Reader::Reader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

tl::expected<Reader, cppc_status> Reader::open(std::span<const std::byte> file) {
  return contained("image", [&]() -> tl::expected<Reader, cppc_status> {
    const auto header = read_header(file);
    if (!header) {
      return tl::make_unexpected(header.error());
    }
    if (header->file_bytes != file.size()) {
      return failure(CPPC_ERR_IMAGE, "image: truncated or extended: {} bytes instead of {}", file.size(),
                     header->file_bytes);
    }
    std::vector<Extent> there{{0, file}};
    auto index = read_head(FileView(there, file.size(), header->swapped), *header, {});
    if (!index) {
      return tl::make_unexpected(index.error());
    }
    if (header->sealed != 0) {
      if (const auto verified = verify_contents(file, *header, *index); !verified) {
        return tl::make_unexpected(verified.error());
      }
    }
    return Reader(std::make_unique<Impl>(Impl{std::move(*index), std::move(there), file.size(), header->sealed != 0}));
  });
}

tl::expected<Reader, cppc_status> Reader::open_head(std::span<const Extent> head, const KeepAlive& keep_alive) {
  return contained("image", [&]() -> tl::expected<Reader, cppc_status> {
    if (head.empty() || head.front().offset != 0) {
      return failure(CPPC_ERR_IMAGE, "image: it has no beginning");
    }
    const auto header = read_header(head.front().bytes);
    if (!header) {
      return tl::make_unexpected(header.error());
    }
    if (!well_ordered(head, header->file_bytes)) {
      return failure(CPPC_ERR_IMAGE, "image: its head is not within its {} bytes", header->file_bytes);
    }
    std::vector<Extent> there(head.begin(), head.end());
    return read_head(FileView(there, header->file_bytes, header->swapped), *header, keep_alive).map([&](Index&& index) {
      return Reader(std::make_unique<Impl>(Impl{std::move(index), std::move(there), header->file_bytes, false}));
    });
  });
}

bool Reader::sealed() const { return impl_->sealed; }

std::span<const Stored> Reader::stored(const Entry& entry) const {
  const Index& index = impl_->index;
  const std::size_t first = index.first_stored[entry.number];
  return std::span(index.stored).subspan(first, index.first_stored[entry.number + 1] - first);
}

std::span<const Entry> Reader::entries() const { return impl_->index.entries; }

tl::expected<void, cppc_status> Reader::read(const Entry& entry, std::span<std::byte> destination) const {
  if (destination.size() != entry.bytes) {
    return failure(CPPC_ERR_ARGUMENT, "image: {}: room for {} bytes instead of {}", entry.path, destination.size(),
                   entry.bytes);
  }
  return read_part(entry, 0, destination);
}

tl::expected<void, cppc_status> Reader::read_part(const Entry& entry, std::uint64_t offset,
                                                  std::span<std::byte> destination) const {
  if (entry.number >= impl_->index.entries.size()) {
    return failure(CPPC_ERR_ARGUMENT, "image: {}: no entry of this image", entry.path);
  }
  const auto& known = impl_->index.entries[entry.number];
  if (known.dead) {
    return failure(CPPC_ERR_STATE, "image: {}: it was recorded without contents", known.path);
  }
  if (offset > known.bytes || destination.size() > known.bytes - offset) {
    return failure(CPPC_ERR_ARGUMENT, "image: {}: has {} bytes, not {} from {} on", known.path, known.bytes,
                   destination.size(), offset);
  }
  const FileView file(impl_->there, impl_->size);
  for (const auto& part : stored(known)) {
    const std::uint64_t begin = std::max(part.object_offset, offset);
    const std::uint64_t end = std::min<std::uint64_t>(part.object_offset + part.bytes, offset + destination.size());
    if (begin >= end) {
      continue;
    }
    const auto source = file.at(part.file_offset + (begin - part.object_offset), end - begin);
    if (!source) {
      return failure(CPPC_ERR_STATE, "image: {}: its contents are not there yet", known.path);
    }
    std::memcpy(destination.data() + (begin - offset), source->data(), end - begin);
  }
  return {};
}

}  // namespace cppc::image
