#include "hdf5.hpp"

namespace cppc::image {

QuietHdf5::QuietHdf5() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietHdf5::~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

tl::expected<void, cppc_status> check_hdf5() {
  // Fails when HDF5 is in use already: then it is the program's, and so is what happens at exit.
  H5dont_atexit();
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  H5get_libversion(&major, &minor, &release);
  if (major != H5_VERS_MAJOR || minor != H5_VERS_MINOR || release != H5_VERS_RELEASE) {
    return failure(CPPC_ERR_MISMATCH,
                   "image: this process has loaded HDF5 {}.{}.{}, but CPPC Live was built for {}.{}.{}; build both "
                   "with the same HDF5",
                   major, minor, release, H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE);
  }
  return {};
}

std::string hdf5_reason() {
  std::string reason = "no reason given";
  const auto innermost = [](unsigned, const H5E_error2_t* error, void* text) -> herr_t {
    if (error->desc != nullptr) {
      *static_cast<std::string*>(text) = error->desc;
    }
    return 1;  // the first is enough
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, &reason);
  return reason;
}

}  // namespace cppc::image
