// What the environment says of how to send; what makes no sense is not used.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "fabric.hpp"

namespace {

using cppc::fabric::Compression;
using cppc::fabric::Tuning;

class TuningTest : public testing::Test {
 protected:
  void TearDown() override {
    for (const char* variable : {"CPPC_FABRIC_CHUNK", "CPPC_FABRIC_DEPTH", "CPPC_COMPRESS"}) unsetenv(variable);
  }
};

Tuning with(const char* variable, const std::string& value) {
  setenv(variable, value.c_str(), 1);
  return Tuning::from_environment();
}

TEST_F(TuningTest, TakesWhatMakesSense) {
  EXPECT_EQ(with("CPPC_FABRIC_CHUNK", "1024").chunk_bytes, std::size_t{1} << 20);
  EXPECT_EQ(with("CPPC_FABRIC_DEPTH", "3").in_flight, 3U);
  EXPECT_EQ(with("CPPC_COMPRESS", "on").compression, Compression::on);
  EXPECT_EQ(with("CPPC_COMPRESS", "off").compression, Compression::off);
  EXPECT_EQ(with("CPPC_COMPRESS", "auto").compression, Compression::automatic);
}

TEST_F(TuningTest, GoesOnWithoutTheRest) {
  for (const std::string text : {"", "0", "-1", "4k", "x", "99999999999999999999", "2000000000"}) {
    EXPECT_EQ(with("CPPC_FABRIC_CHUNK", text).chunk_bytes, Tuning().chunk_bytes) << text;
    EXPECT_EQ(with("CPPC_FABRIC_DEPTH", text).in_flight, Tuning().in_flight) << text;
    EXPECT_EQ(with("CPPC_COMPRESS", text).compression, Compression::automatic) << text;
  }
}

}  // namespace
