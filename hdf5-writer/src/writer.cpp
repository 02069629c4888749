#include <algorithm>
#include <cstring>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "checksum.hpp"
#include "cppc/image.hpp"
#include "hdf5_file.hpp"
#include "hdf5_types.hpp"
#include "head.hpp"
#include "layout.hpp"
#include "store.hpp"

namespace cppc::image {

namespace {

/// The HDF5 types of a layout; structures are named ones in the file.
tl::expected<std::vector<Hid>, cppc_status> add_types(Hdf5File& file, const Layout& layout) {
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

tl::expected<MadeDatasets, cppc_status> add_datasets(Hdf5File& file, const Layout& layout) {
  const auto types = add_types(file, layout);
  if (!types) {
    return tl::make_unexpected(types.error());
  }
  MadeDatasets made;
  for (const auto& dataset : layout.datasets()) {
    const auto offset = file.add_dataset(dataset.path, (*types)[dataset.type], dataset.count, dataset.address);
    if (!offset) {
      return tl::make_unexpected(offset.error());
    }
    made.rows.add(dataset.path, {*offset, dataset.type, dataset.count, dataset.in_head ? 1U : 0U});
    made.offsets.push_back(*offset);
  }
  return made;
}

template <class Row>
tl::expected<TablePlace, cppc_status> add_table(Hdf5File& file, const Table<Row>& table) {
  const auto type = hdf5_row_type(Row::columns, table.name_bytes());
  if (!type) {
    return tl::make_unexpected(type.error());
  }
  return file.add_dataset(Row::table, *type, table.size()).map([&](std::uint64_t offset) {
    return TablePlace{table.size() > 0 ? offset : header_bytes, table.size(), table.row_bytes()};
  });
}

/// Makes the tables of the index; the header says where they belong.
tl::expected<Header, cppc_status> add_index(Hdf5File& file, const Layout& layout, const Table<DatasetRow>& datasets) {
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

/// What a file is made of: all but the contents is in the store already.
struct Made {
  Header header{};
  MadeDatasets datasets;
};

tl::expected<Made, cppc_status> make_file(Store& store, const Layout& layout) {
  auto file = Hdf5File::create(store.access());
  if (!file) {
    return tl::make_unexpected(file.error());
  }
  auto datasets = add_datasets(*file, layout);
  if (!datasets) {
    return tl::make_unexpected(datasets.error());
  }
  auto header = add_index(*file, layout, datasets->rows);
  if (!header) {
    return tl::make_unexpected(header.error());
  }
  const auto bytes = std::move(*file).finish();
  if (!bytes) {
    return tl::make_unexpected(bytes.error());
  }
  header->magic = magic;
  header->version = format_version;
  header->byte_order = byte_order_mark;
  header->file_bytes = *bytes;
  return Made{*header, std::move(*datasets)};
}

void put_index(Store& store, const Layout& layout, const Made& made) {
  const Header& header = made.header;
  store.put(header.objects.offset, layout.objects().encode());
  store.put(header.runs.offset, layout.runs().encode());
  store.put(header.datasets.offset, made.datasets.rows.encode());
  store.put(header.types.offset, layout.types().rows().encode());
  store.put(header.members.offset, layout.types().member_rows().encode());
  store.put(0, std::as_bytes(std::span(&header, 1)));
}

/// Puts the pieces of all datasets into their places, and returns what they are of the file when they are not its head.
std::vector<Range> put_pieces(Store& store, const Layout& layout, const MadeDatasets& made) {
  std::vector<std::size_t> order(layout.datasets().size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t i) { return made.offsets[i]; });
  std::vector<Range> contents;
  for (const std::size_t i : order) {
    const Dataset& dataset = layout.datasets()[i];
    std::uint64_t offset = made.offsets[i];
    for (const auto piece : dataset.pieces) {
      if (dataset.in_head) {
        store.put(offset, piece);
      } else {
        store.add_contents(offset, piece);
      }
      offset += piece.size();
    }
    if (!dataset.in_head) {
      contents.push_back({made.offsets[i], offset - made.offsets[i]});
    }
  }
  return contents;
}

}  // namespace

// ---- Image

struct Image::Impl {
  std::unique_ptr<Store> store;
  std::vector<std::span<std::byte>> head_memory;
  std::vector<Extent> head;
  std::uint64_t bytes = 0;
  std::uint64_t state_bytes = 0;

  /// Changes the header and computes the checksum anew.
  void write_header(Header header) {
    std::memcpy(head_memory.front().data(), &header, sizeof header);
    header.checksum = checksum_of_head(std::vector<std::span<const std::byte>>(head_memory.begin(), head_memory.end()));
    std::memcpy(head_memory.front().data(), &header, sizeof header);
  }
};

Image::Image(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Image::Image(Image&&) noexcept = default;
Image& Image::operator=(Image&&) noexcept = default;
Image::~Image() = default;
std::span<const Extent> Image::head() const { return impl_->head; }
std::span<const Extent> Image::contents() const { return impl_->store->contents(); }
std::uint64_t Image::size() const { return impl_->bytes; }
std::uint64_t Image::state_bytes() const { return impl_->state_bytes; }

std::vector<Extent> Image::extents() const {
  std::vector<Extent> all;
  all.reserve(head().size() + contents().size());
  std::ranges::merge(head(), contents(), std::back_inserter(all), {}, &Extent::offset, &Extent::offset);
  return all;
}

void Image::seal() {
  (void)seal([this](const auto& add) {
    for (const auto& extent : contents()) {
      add(extent.bytes);
    }
    return true;
  });
}

bool Image::seal(const Show& show) {
  Checksummer summer;
  if (!show([&](std::span<const std::byte> bytes) { summer.add(bytes); })) {
    return false;
  }
  Header header{};
  std::memcpy(&header, impl_->head_memory.front().data(), sizeof header);
  header.sealed = 1;
  header.contents_checksum = summer.sum();
  impl_->write_header(header);
  return true;
}

// ---- Writer

struct Writer::Impl {
  std::unique_ptr<Store> store;
  Layout layout;

  tl::expected<std::unique_ptr<Image::Impl>, cppc_status> build() &&;
};

tl::expected<std::unique_ptr<Image::Impl>, cppc_status> Writer::Impl::build() && {
  const QuietHdf5 quiet;
  const auto made = make_file(*store, layout);
  if (!made) {
    return tl::make_unexpected(made.error());
  }
  put_index(*store, layout, *made);
  const auto ranges = head_ranges(put_pieces(*store, layout, made->datasets), made->header.file_bytes);
  if (!ranges || ranges->empty() || ranges->front().offset != 0) {
    return failure(CPPC_ERR_IMAGE, "image: HDF5 has put datasets on top of each other");
  }
  auto image = std::make_unique<Image::Impl>();
  image->head_memory = store->gather(*ranges);
  for (std::size_t i = 0; i < ranges->size(); ++i) {
    image->head.push_back({(*ranges)[i].offset, image->head_memory[i]});
  }
  image->bytes = made->header.file_bytes;
  image->state_bytes = layout.state_bytes();
  image->write_header(made->header);
  image->store = std::move(store);
  return image;
}

Writer::Writer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;
Writer::~Writer() = default;

tl::expected<Writer, cppc_status> Writer::create(Storage storage) {
  return contained("image", [&]() -> tl::expected<Writer, cppc_status> {
    if (const auto checked = check_hdf5(); !checked) {
      return tl::make_unexpected(checked.error());
    }
    auto store = storage == Storage::scattered ? scattered_store() : contiguous_store();
    return std::move(store).map([](std::unique_ptr<Store>&& made) {
      return Writer(std::make_unique<Impl>(Impl{std::move(made), {}}));
    });
  });
}

tl::expected<void, cppc_status> Writer::add(const Object& object) {
  return contained("image", [&] { return impl_->layout.add(object); });
}

tl::expected<Image, cppc_status> Writer::finish() && {
  return contained("image", [&]() -> tl::expected<Image, cppc_status> {
    const auto impl = std::move(impl_);
    return std::move(*impl).build().map([](std::unique_ptr<Image::Impl>&& made) { return Image(std::move(made)); });
  });
}

}  // namespace cppc::image
