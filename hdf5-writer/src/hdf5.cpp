#include "hdf5.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

namespace cppc::image {

QuietHdf5::QuietHdf5() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietHdf5::~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

namespace {

/// HDF5 ends the process when it finds no memory as it starts: 1.10 needs between 0.5 and 1 MB for that and an empty
/// file, as tried with RLIMIT_DATA. What follows reports a lack of memory by itself.
tl::expected<void, cppc_status> check_memory_for_start() {
  constexpr std::size_t enough = std::size_t{8} << 20;
  void* const memory = mmap(nullptr, enough, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return failure(CPPC_ERR_MEMORY,
                   "image: the process cannot get {} MB, which making an image takes: {}; its limits of memory "
                   "(RLIMIT_DATA, RLIMIT_AS) may be used up",
                   enough >> 20, std::strerror(errno));
  munmap(memory, enough);
  return {};
}

}  // namespace

tl::expected<void, cppc_status> check_hdf5() {
  if (const auto there = check_memory_for_start(); !there) return there;
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
