#include "address/process/floating_point.hpp"

#include <cfenv>

#include "process_run.hpp"

namespace cppc {
namespace {

TEST(FloatingPoint, GoesOnInAnotherProcess) {
  test::expect_moved("floating_point", "upward: 1, raised: 1\nflushes: 1, stops: 1\n");
}

TEST(FloatingPoint, IsNotDisturbedByALook) {
  std::feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(FE_DIVBYZERO);
  (void)address::FloatingPoint::now();
  EXPECT_EQ(fegetexcept(), FE_DIVBYZERO);
  fedisableexcept(FE_ALL_EXCEPT);
}

TEST(FloatingPoint, InvalidControlWordsAreRefused) {
  ByteWriter writer;
  writer.u32(0x10000);
  for (int i = 0; i < 28; ++i) writer.u8(0);
  ByteReader reader(writer.bytes());
  (void)address::FloatingPoint::read(reader);
  EXPECT_FALSE(reader.ok());
}

}  // namespace
}  // namespace cppc
