#include "paper_way.hpp"

#include <hdf5.h>
#include <hdf5_hl.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

namespace cppc::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t core_increment = std::size_t{4} << 20;  // by which the file in memory grows
constexpr std::size_t most_in_one_message = std::size_t{1} << 30;

class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  [[nodiscard]] hid_t id() const { return id_; }
  [[nodiscard]] bool valid() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// Memory as malloc gives it: not touched before it is needed.
struct Buffer {
  std::unique_ptr<std::byte[]> bytes;
  std::size_t size = 0;
  explicit Buffer(std::size_t size) : bytes(new std::byte[size]), size(size) {}
};

std::string data_set_name(const Piece& piece) { return piece.path.substr(piece.path.find('/') + 1); }

bool write_data_set(const Handle& file, const std::string& name, std::span<const double> values) {
  const hsize_t count = values.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Handle set(
      H5Dcreate2(file.id(), name.c_str(), H5T_NATIVE_DOUBLE, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose);
  return set.valid() && H5Dwrite(set.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0;
}

bool read_data_set(const Handle& file, const std::string& name, std::span<double> values) {
  const Handle set(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
  return set.valid() && H5Dread(set.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0;
}

std::vector<double> pack(std::span<const Piece> pieces) {
  std::vector<double> packed;
  for (const Piece& piece : pieces) packed.insert(packed.end(), piece.values.begin(), piece.values.end());
  return packed;
}

void unpack(std::span<const double> packed, std::span<const Piece> pieces) {
  for (const Piece& piece : pieces) {
    std::ranges::copy(packed.first(piece.values.size()), piece.values.begin());
    packed = packed.subspan(piece.values.size());
  }
}

Result<Buffer> build(const State& state) {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access.id(), core_increment, 0);
  const Handle file(H5Fcreate("image", H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose);
  if (!file.valid()) return failure("HDF5 makes no file in memory");
  bool written = write_data_set(file, "small", pack(state.small()));
  for (const Piece& piece : state.large())
    written = written && write_data_set(file, data_set_name(piece), piece.values);
  if (!written || H5Fflush(file.id(), H5F_SCOPE_GLOBAL) < 0) return failure("HDF5 does not write");
  const ssize_t size = H5Fget_file_image(file.id(), nullptr, 0);
  if (size <= 0) return failure("HDF5 gives no image of the file");
  Buffer image(static_cast<std::size_t>(size));
  if (H5Fget_file_image(file.id(), image.bytes.get(), image.size) != size) return failure("HDF5 gives no image");
  return image;
}

Result<void> restore(Buffer& image, State& state) {
  const Handle file(H5LTopen_file_image(image.bytes.get(), image.size, 0), H5Fclose);
  if (!file.valid()) return failure("HDF5 does not open the image");
  std::size_t in_small = 0;
  for (const Piece& piece : state.small()) in_small += piece.values.size();
  std::vector<double> packed(in_small);
  bool read = read_data_set(file, "small", packed);
  for (const Piece& piece : state.large()) read = read && read_data_set(file, data_set_name(piece), piece.values);
  if (!read) return failure("HDF5 does not read");
  unpack(packed, state.small());
  return {};
}

/// As few messages as MPI's counts allow.
template <class Pass>
Result<void> in_messages(Buffer& buffer, Pass pass) {
  for (std::size_t done = 0; done < buffer.size; done += most_in_one_message) {
    const auto count = static_cast<int>(std::min(most_in_one_message, buffer.size - done));
    if (pass(buffer.bytes.get() + done, count) != MPI_SUCCESS) return failure("MPI does not move the image");
  }
  return {};
}

}  // namespace

Result<Moved> PaperSource::move() {
  const auto start = Clock::now();
  auto image = build(state_);
  if (!image) return tl::unexpected(image.error());
  const Moved moved{std::chrono::duration<double, std::milli>(Clock::now() - start).count(), image->size};
  return control_.send_message(std::to_string(image->size))
      .and_then([&] {
        return in_messages(
            *image, [](std::byte* bytes, int count) { return MPI_Send(bytes, count, MPI_BYTE, 1, 0, MPI_COMM_WORLD); });
      })
      .map([&] { return moved; });
}

Result<void> PaperTarget::receive() {
  const auto size = control_.receive_message();
  if (!size) return tl::unexpected(size.error());
  Buffer image(std::stoull(*size));
  return in_messages(image,
                     [](std::byte* bytes, int count) {
                       return MPI_Recv(bytes, count, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                     })
      .and_then([&] { return restore(image, state_); });
}

}  // namespace cppc::bench
