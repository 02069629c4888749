// A process that has loaded another HDF5 than the writer was compiled for: the definition here stands before the
// library's.
#include <hdf5.h>

#include "samples.hpp"

extern "C" __attribute__((visibility("default"))) herr_t H5get_libversion(unsigned* major, unsigned* minor,
                                                                          unsigned* release) {
  *major = H5_VERS_MAJOR;
  *minor = H5_VERS_MINOR;
  *release = H5_VERS_RELEASE + 1;
  return 0;
}

namespace cppc::image {
namespace {

TEST(OtherHdf5, IsRefusedByName) {
  testing::internal::CaptureStdout();  // where this program's default logger writes
  const auto writer = Writer::create();
  const auto log = testing::internal::GetCapturedStdout();
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error(), CPPC_ERR_MISMATCH);
  EXPECT_NE(log.find("HDF5 " + std::to_string(H5_VERS_MAJOR) + "." + std::to_string(H5_VERS_MINOR) + "." +
                     std::to_string(H5_VERS_RELEASE + 1)),
            std::string::npos)
      << log;
}

}  // namespace
}  // namespace cppc::image
