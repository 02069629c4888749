/// HDF5 inside somebody else's program: identifiers that close themselves, no output, no abort.
#pragma once

#include <hdf5.h>

#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "cppc/status.h"
#include "failure.hpp"

namespace cppc::image {

/// An HDF5 identifier; `close` is the function that releases it.
class Hid {
 public:
  using Close = herr_t (*)(hid_t);
  Hid() = default;
  Hid(hid_t id, Close close) : id_(id), close_(close) {}
  Hid(Hid&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hid& operator=(Hid&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hid() {
    if (id_ >= 0) {
      close_(id_);
    }
  }
  /// Closes now, for when the result matters.
  bool close() { return close_(std::exchange(id_, H5I_INVALID_HID)) >= 0; }

  [[nodiscard]] hid_t get() const { return id_; }
  [[nodiscard]] bool valid() const { return id_ >= 0; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// While it lives, HDF5 prints nothing; after that it does what the program had chosen.
class QuietHdf5 {
 public:
  QuietHdf5();
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;
  ~QuietHdf5();

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// CPPC_ERR_MISMATCH when the process has loaded another HDF5 than this library was compiled for. To be called before
/// anything else of HDF5, which would end the process in that case.
tl::expected<void, cppc_status> check_hdf5();

/// What HDF5 says about its last failed call.
std::string hdf5_reason();

template <class... Args>
tl::unexpected<cppc_status> hdf5_failure(fmt::format_string<Args...> what, Args&&... args) {
  return failure(CPPC_ERR_IMAGE, "image: HDF5 cannot {}: {}", fmt::format(what, std::forward<Args>(args)...),
                 hdf5_reason());
}

}  // namespace cppc::image
