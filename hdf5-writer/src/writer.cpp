#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "checksum.hpp"
#include "core_file.hpp"
#include "cppc/image.hpp"
#include "hdf5_types.hpp"
#include "layout.hpp"

namespace cppc::image {

namespace {

/// The HDF5 types of a layout; structures are named ones in the file.
tl::expected<std::vector<Hid>, cppc_status> add_types(CoreFile& file, const Layout& layout) {
  std::vector<Hid> types;
  for (const auto& dataset : layout.datasets()) {
    types.resize(std::max<std::size_t>(types.size(), dataset.type + 1));
    auto& type = types[dataset.type];
    if (type.valid()) {
      continue;
    }
    const auto& described = *layout.types().types()[dataset.type];
    auto made = hdf5_type(described);
    if (!made) {
      return tl::make_unexpected(made.error());
    }
    type = std::move(*made);
    if (described.cls == Class::structure) {
      if (const auto added = file.add_type("/types/" + layout.type_link(dataset.type), type); !added) {
        return tl::make_unexpected(added.error());
      }
    }
  }
  return types;
}

struct MadeDatasets {
  Table<DatasetRow> rows;
  std::vector<std::uint64_t> offsets;
};

tl::expected<MadeDatasets, cppc_status> add_datasets(CoreFile& file, const Layout& layout) {
  const auto types = add_types(file, layout);
  if (!types) {
    return tl::make_unexpected(types.error());
  }
  MadeDatasets made;
  for (const auto& dataset : layout.datasets()) {
    const auto offset = file.add_dataset(dataset.path, (*types)[dataset.type], dataset.count);
    if (!offset) {
      return tl::make_unexpected(offset.error());
    }
    made.rows.add(dataset.path, {*offset, dataset.type, dataset.count});
    made.offsets.push_back(*offset);
  }
  return made;
}

template <class Row>
tl::expected<TablePlace, cppc_status> add_table(CoreFile& file, const Table<Row>& table) {
  const auto type = hdf5_row_type(Row::columns, table.name_bytes());
  if (!type) {
    return tl::make_unexpected(type.error());
  }
  return file.add_dataset(Row::table, *type, table.size()).map([&](std::uint64_t offset) {
    return TablePlace{table.size() > 0 ? offset : header_bytes, table.size(), table.row_bytes()};
  });
}

/// Makes the tables of the index; the header says where they belong.
tl::expected<Header, cppc_status> add_index(CoreFile& file, const Layout& layout, const Table<DatasetRow>& datasets) {
  Header header{};
  cppc_status status = CPPC_OK;
  const auto add = [&](TablePlace& place, const auto& table) {
    const auto added = add_table(file, table);
    if (!added) {
      status = added.error();
      return false;
    }
    place = *added;
    return true;
  };
  const bool all = add(header.objects, layout.objects()) && add(header.runs, layout.runs()) &&
                   add(header.datasets, datasets) && add(header.types, layout.types().rows()) &&
                   add(header.members, layout.types().member_rows());
  return all ? tl::expected<Header, cppc_status>(header) : tl::make_unexpected(status);
}

template <class Row>
void fill_table(std::span<std::byte> file, const TablePlace& place, const Table<Row>& table) {
  const auto bytes = table.encode();
  std::copy(bytes.begin(), bytes.end(), file.subspan(place.offset).begin());
}

void fill(std::span<std::byte> file, const Layout& layout, const Header& header, const Table<DatasetRow>& datasets,
          std::span<const std::uint64_t> offsets) {
  for (const auto& piece : layout.pieces()) {
    std::memcpy(file.data() + offsets[piece.dataset] + piece.at, piece.bytes.data(), piece.bytes.size());
  }
  fill_table(file, header.objects, layout.objects());
  fill_table(file, header.runs, layout.runs());
  fill_table(file, header.datasets, datasets);
  fill_table(file, header.types, layout.types().rows());
  fill_table(file, header.members, layout.types().member_rows());
}

/// Puts the header in front, with the checksum over everything else.
void seal(std::span<std::byte> file, Header header) {
  header.magic = magic;
  header.version = format_version;
  header.byte_order = byte_order_mark;
  header.file_bytes = file.size();
  std::memcpy(file.data(), &header, sizeof header);
  header.checksum = checksum_of_file(file);
  std::memcpy(file.data(), &header, sizeof header);
}

/// For the index and what HDF5 adds, when the objects are few. More is taken when needed.
constexpr std::uint64_t overhead_bytes = std::uint64_t{2} << 20;

}  // namespace

// ---- Image

struct Image::Impl {
  Arena memory;
  std::vector<Extent> extents;
  std::uint64_t bytes = 0;
  std::uint64_t state_bytes = 0;
  std::uint64_t zero_bytes = 0;
};

Image::Image(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Image::Image(Image&&) noexcept = default;
Image& Image::operator=(Image&&) noexcept = default;
Image::~Image() = default;
std::span<const Extent> Image::extents() const { return impl_->extents; }
std::uint64_t Image::size() const { return impl_->bytes; }
std::uint64_t Image::state_bytes() const { return impl_->state_bytes; }
std::uint64_t Image::zero_bytes() const { return impl_->zero_bytes; }

// ---- Writer

struct Writer::Impl {
  Arena memory;
  Layout layout;

  /// Makes the file and fills it.
  tl::expected<CoreFile::Finished, cppc_status> build() &&;
};

tl::expected<CoreFile::Finished, cppc_status> Writer::Impl::build() && {
  const QuietHdf5 quiet;
  auto file = CoreFile::create(std::move(memory));
  if (!file) {
    return tl::make_unexpected(file.error());
  }
  const auto datasets = add_datasets(*file, layout);
  if (!datasets) {
    return tl::make_unexpected(datasets.error());
  }
  const auto header = add_index(*file, layout, datasets->rows);
  if (!header) {
    return tl::make_unexpected(header.error());
  }
  auto finished = std::move(*file).finish();
  if (finished) {
    const auto bytes = finished->memory.bytes().first(finished->bytes);
    fill(bytes, layout, *header, datasets->rows, datasets->offsets);
    seal(bytes, *header);
  }
  return finished;
}

Writer::Writer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;
Writer::~Writer() = default;

tl::expected<Writer, cppc_status> Writer::create(std::uint64_t expected_bytes) {
  return contained("image", [&]() -> tl::expected<Writer, cppc_status> {
    if (const auto checked = check_hdf5(); !checked) {
      return tl::make_unexpected(checked.error());
    }
    return Arena::allocate(expected_bytes + overhead_bytes).map([](Arena&& memory) {
      return Writer(std::make_unique<Impl>(Impl{std::move(memory), {}}));
    });
  });
}

tl::expected<void, cppc_status> Writer::add(const Object& object) {
  return contained("image", [&] { return impl_->layout.add(object); });
}

tl::expected<Image, cppc_status> Writer::finish() && {
  return contained("image", [&]() -> tl::expected<Image, cppc_status> {
    const auto impl = std::move(impl_);
    auto finished = std::move(*impl).build();
    if (!finished) {
      return tl::make_unexpected(finished.error());
    }
    const auto& layout = impl->layout;
    const std::span<const std::byte> bytes = finished->memory.bytes().first(finished->bytes);
    return Image(std::make_unique<Image::Impl>(Image::Impl{std::move(finished->memory),
                                                           {Extent{0, bytes}},
                                                           bytes.size(),
                                                           layout.state_bytes(),
                                                           layout.state_bytes() - layout.stored_bytes()}));
  });
}

}  // namespace cppc::image
