// The driver ("virtual file driver") through which HDF5 reads and writes scattered memory. HDF5 calls it; nothing is
// thrown into it.
#include <memory>
#include <new>

#include "scattered_memory.hpp"

namespace cppc::image {

namespace {

struct Settings {
  ScatteredMemory* memory = nullptr;
};

/// An open file, as HDF5 knows it.
struct File {
  H5FD_t base{};  // first: HDF5's part
  ScatteredMemory* memory = nullptr;
  haddr_t end_allocated = 0;
  haddr_t end = 0;
};

File& file_of(H5FD_t* file) { return *reinterpret_cast<File*>(file); }
const File& file_of(const H5FD_t* file) { return *reinterpret_cast<const File*>(file); }

H5FD_t* open_file(const char*, unsigned flags, hid_t access, haddr_t) {
  const auto* settings = static_cast<const Settings*>(H5Pget_driver_info(access));
  auto file = std::unique_ptr<File>(settings != nullptr ? new (std::nothrow) File : nullptr);
  if (file == nullptr) return nullptr;
  file->memory = settings->memory;
  file->end = (flags & H5F_ACC_TRUNC) != 0 ? 0 : settings->memory->end();
  return &file.release()->base;
}

herr_t close_file(H5FD_t* file) {
  const std::unique_ptr<File> closed(&file_of(file));
  return 0;
}

/// Metadata in blocks, as the core driver has it: the files of both are the same.
herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

haddr_t get_end_allocated(const H5FD_t* file, H5FD_mem_t) { return file_of(file).end_allocated; }

herr_t set_end_allocated(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  file_of(file).end_allocated = end;
  return 0;
}

haddr_t get_end(const H5FD_t* file, H5FD_mem_t) { return file_of(file).end; }

herr_t read_file(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t offset, std::size_t bytes, void* into) {
  file_of(file).memory->read(offset, {static_cast<std::byte*>(into), bytes});
  return 0;
}

herr_t write_file(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t offset, std::size_t bytes, const void* from) try {
  File& written = file_of(file);
  if (!written.memory->write(offset, {static_cast<const std::byte*>(from), bytes})) return -1;
  written.end = std::max<haddr_t>(written.end, offset + bytes);
  return 0;
} catch (const std::bad_alloc&) {
  return -1;
}

herr_t extend_to_allocated(H5FD_t* file, hid_t, hbool_t) {
  file_of(file).end = std::max(file_of(file).end, file_of(file).end_allocated);
  return 0;
}

H5FD_class_t driver() {
  H5FD_class_t driver{};
  driver.name = "cppc-scattered";
  driver.maxaddr = ~haddr_t{0} >> 1;
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(Settings);
  driver.open = open_file;
  driver.close = close_file;
  driver.query = query;
  driver.get_eoa = get_end_allocated;
  driver.set_eoa = set_end_allocated;
  driver.get_eof = get_end;
  driver.read = read_file;
  driver.write = write_file;
  driver.truncate = extend_to_allocated;
  constexpr H5FD_mem_t map[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(map), std::end(map), std::begin(driver.fl_map));
  return driver;
}

}  // namespace

Hid scattered_access(ScatteredMemory& memory) {
  const H5FD_class_t described = driver();
  const Hid registered(H5FDregister(&described), &H5FDunregister);  // property lists and files hold it, too
  Hid access(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose);
  const Settings settings{&memory};
  const bool set =
      registered.valid() && access.valid() && H5Pset_driver(access.get(), registered.get(), &settings) >= 0;
  return set ? std::move(access) : Hid();
}

}  // namespace cppc::image
