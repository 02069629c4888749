#include "hdf5_file.hpp"

#include <utility>

#include "format.hpp"

namespace cppc::image {

namespace {

// HDF5 asks for names even of files that are never on disk. This one cannot exist there.
constexpr const char* no_file = "/dev/null/cppc-live-image";
constexpr hsize_t metadata_block_bytes = 65536;

bool set_form(const Hid& access) {
  return H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0 &&
         H5Pset_meta_block_size(access.get(), metadata_block_bytes) >= 0 &&
         H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG) >= 0;
}

Hid file_creation() {
  Hid creation(H5Pcreate(H5P_FILE_CREATE), &H5Pclose);
  const bool set =
      H5Pset_userblock(creation.get(), header_bytes) >= 0 && H5Pset_obj_track_times(creation.get(), false) >= 0;
  return set ? std::move(creation) : Hid();
}

/// Space at once, in one piece, and never filled: the contents are added by address.
Hid dataset_creation() {
  Hid creation(H5Pcreate(H5P_DATASET_CREATE), &H5Pclose);
  const bool set = H5Pset_layout(creation.get(), H5D_CONTIGUOUS) >= 0 &&
                   H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY) >= 0 &&
                   H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER) >= 0 &&
                   H5Pset_obj_track_times(creation.get(), false) >= 0;
  return set ? std::move(creation) : Hid();
}

/// Of groups, or of named types: the same state makes the same file, whenever that is.
Hid creation_without_times(hid_t kind) {
  Hid creation(H5Pcreate(kind), &H5Pclose);
  return H5Pset_obj_track_times(creation.get(), false) >= 0 ? std::move(creation) : Hid();
}

Hid link_creation() {
  Hid link(H5Pcreate(H5P_LINK_CREATE), &H5Pclose);
  return H5Pset_char_encoding(link.get(), H5T_CSET_UTF8) >= 0 ? std::move(link) : Hid();
}

bool add_address(const Hid& dataset, std::uint64_t address) {
  const Hid space(H5Screate(H5S_SCALAR), &H5Sclose);
  const Hid attribute(H5Acreate2(dataset.get(), "address", H5T_NATIVE_UINT64, space.get(), H5P_DEFAULT, H5P_DEFAULT),
                      &H5Aclose);
  return attribute.valid() && H5Awrite(attribute.get(), H5T_NATIVE_UINT64, &address) >= 0;
}

}  // namespace

tl::expected<Hdf5File, cppc_status> Hdf5File::create(Hid access) {
  Hdf5File file;
  if (const auto opened = file.open(std::move(access)); !opened) {
    return tl::make_unexpected(opened.error());
  }
  return file;
}

tl::expected<void, cppc_status> Hdf5File::open(Hid access) {
  const Hid creation = file_creation();
  creation_ = dataset_creation();
  type_creation_ = creation_without_times(H5P_DATATYPE_CREATE);
  group_creation_ = creation_without_times(H5P_GROUP_CREATE);
  link_ = link_creation();
  const bool set = access.valid() && creation.valid() && creation_.valid() && type_creation_.valid() &&
                   group_creation_.valid() && link_.valid() && set_form(access);
  if (!set) {
    return hdf5_failure("set up a file in memory");
  }
  file_ = Hid(H5Fcreate(no_file, H5F_ACC_TRUNC, creation.get(), access.get()), &H5Fclose);
  if (!file_.valid()) {
    return hdf5_failure("make a file in memory");
  }
  return {};
}

tl::expected<void, cppc_status> Hdf5File::add_groups_of(const std::string& path) {
  for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
    const std::string group = path.substr(0, end);
    if (!groups_.insert(group).second) continue;
    const Hid made(H5Gcreate2(file_.get(), group.c_str(), link_.get(), group_creation_.get(), H5P_DEFAULT), &H5Gclose);
    if (!made.valid()) return hdf5_failure("make group {}", group);
  }
  return {};
}

tl::expected<void, cppc_status> Hdf5File::add_type(const std::string& path, const Hid& type) {
  if (auto added = add_groups_of(path); !added) return added;
  if (H5Tcommit2(file_.get(), path.c_str(), type.get(), link_.get(), type_creation_.get(), H5P_DEFAULT) < 0) {
    return hdf5_failure("make type {}", path);
  }
  return {};
}

tl::expected<std::uint64_t, cppc_status> Hdf5File::add_dataset(const std::string& path, const Hid& type,
                                                               std::uint64_t count, std::uint64_t address) {
  if (const auto added = add_groups_of(path); !added) return tl::unexpected(added.error());
  const hsize_t extent = count;
  const Hid space(H5Screate_simple(1, &extent, nullptr), &H5Sclose);
  const Hid dataset(
      H5Dcreate2(file_.get(), path.c_str(), type.get(), space.get(), link_.get(), creation_.get(), H5P_DEFAULT),
      &H5Dclose);
  if (!dataset.valid()) {
    return hdf5_failure("make dataset {} of {} elements", path, count);
  }
  if (address != 0 && !add_address(dataset, address)) {
    return hdf5_failure("say of dataset {} that its address is {:#x}", path, address);
  }
  const haddr_t offset = H5Dget_offset(dataset.get());
  if (count > 0 && offset == HADDR_UNDEF) {
    return hdf5_failure("say where dataset {} is", path);
  }
  return offset;
}

tl::expected<std::uint64_t, cppc_status> Hdf5File::finish() && {
  if (H5Fflush(file_.get(), H5F_SCOPE_GLOBAL) < 0) {
    return hdf5_failure("complete the file in memory");
  }
  const ssize_t without_header = H5Fget_file_image(file_.get(), nullptr, 0);
  if (without_header < 0 || !file_.close()) {
    return hdf5_failure("close the file in memory");
  }
  return header_bytes + static_cast<std::uint64_t>(without_header);
}

}  // namespace cppc::image
