// Reads an image by the addresses in its index, without HDF5: what comes from the network is not for a parser of a
// hundred thousand lines, and contents go from the file to their place in one copy.
#include <algorithm>
#include <cstring>
#include <utility>

#include "checksum.hpp"
#include "cppc/image.hpp"
#include "failure.hpp"
#include "format.hpp"
#include "index.hpp"

namespace cppc::image {

namespace {

tl::expected<Header, cppc_status> read_header(std::span<const std::byte> file) {
  Header header{};
  if (file.size() < header_bytes) {
    return failure(CPPC_ERR_IMAGE, "image: {} bytes are too few", file.size());
  }
  std::memcpy(&header, file.data(), sizeof header);
  if (header.magic != magic) {
    return failure(CPPC_ERR_IMAGE, "image: this is no CPPC Live image");
  }
  if (header.byte_order != byte_order_mark || header.version != format_version) {
    return failure(CPPC_ERR_IMAGE, "image: format {} of another version of CPPC Live or byte order; this one reads {}",
                   header.version, format_version);
  }
  if (header.file_bytes != file.size()) {
    return failure(CPPC_ERR_IMAGE, "image: truncated or extended: {} bytes instead of {}", file.size(),
                   header.file_bytes);
  }
  if (header.checksum != checksum_of_file(file)) {
    return failure(CPPC_ERR_CHECKSUM, "image: its checksum is wrong: bytes differ from those that were written");
  }
  return header;
}

/// Copies what bytes [at, at + source.size()) of an object have in common with [offset, offset + destination.size()).
void copy_common(std::span<const std::byte> source, std::uint64_t at, std::span<std::byte> destination,
                 std::uint64_t offset) {
  const std::uint64_t begin = std::max(at, offset);
  const std::uint64_t end = std::min<std::uint64_t>(at + source.size(), offset + destination.size());
  if (begin < end) {
    std::memcpy(destination.data() + (begin - offset), source.data() + (begin - at), end - begin);
  }
}

/// As copy_common, for an object that is stored in runs.
void copy_runs(const Place& place, std::span<std::byte> destination, std::uint64_t offset) {
  if (!place.holes) {
    std::fill(destination.begin(), destination.end(), std::byte{0});
  }
  const auto bytes = place.element_bytes;
  const auto ends_before = [&](const RunRow& run) { return (run.first + run.count) * bytes <= offset; };
  for (auto run = std::partition_point(place.runs.begin(), place.runs.end(), ends_before);
       run != place.runs.end() && run->first * bytes < offset + destination.size(); ++run) {
    copy_common(place.stored.subspan(run->stored_at * bytes, run->count * bytes), run->first * bytes, destination,
                offset);
  }
}

}  // namespace

struct Reader::Impl {
  Index index;
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
    return read_index(file, *header).map([](Index&& index) {
      return Reader(std::make_unique<Impl>(Impl{std::move(index)}));
    });
  });
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
  const auto& place = impl_->index.places[entry.number];
  if (place.stored.size() == known.bytes) {
    copy_common(place.stored, 0, destination, offset);
  } else {
    copy_runs(place, destination, offset);
  }
  return {};
}

}  // namespace cppc::image
