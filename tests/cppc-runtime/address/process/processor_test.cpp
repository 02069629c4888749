#include "address/process/processor.hpp"

#include <gtest/gtest.h>

namespace cppc::address {
namespace {

ProcessorFeatures read(std::uint64_t bits) {
  ByteWriter writer;
  writer.u64(bits);
  ByteReader reader(writer.bytes());
  return ProcessorFeatures::read(reader);
}

TEST(Processor, HasWhatTheCompilerSees) {
  const auto here = ProcessorFeatures::here();
  EXPECT_EQ(here.has("sse4.2"), __builtin_cpu_supports("sse4.2") != 0);
  EXPECT_EQ(here.has("avx"), __builtin_cpu_supports("avx") != 0);
  EXPECT_EQ(here.has("avx2"), __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ(here.has("bmi2"), __builtin_cpu_supports("bmi2") != 0);
  EXPECT_EQ(here.has("fma"), __builtin_cpu_supports("fma") != 0);
  EXPECT_EQ(here.has("avx512f"), __builtin_cpu_supports("avx512f") != 0);
}

TEST(Processor, SameProcessorIsAccepted) {
  ByteWriter writer;
  ASSERT_EQ(processor::write(writer), CPPC_OK);
  ByteReader reader(writer.bytes());
  EXPECT_EQ(processor::prepare(reader), CPPC_OK);
}

TEST(Processor, NamesWhatItLacks) {
  const auto lacking = read(0).lacking(read(1));
  ASSERT_EQ(lacking.size(), 1U);
  EXPECT_EQ(lacking.front(), "sse3");
  EXPECT_TRUE(read(1).lacking(read(0)).empty());
}

TEST(Processor, ProcessorThatLacksAFeatureIsRefused) {
  ByteWriter all;  // no processor has what Intel's alone and what AMD's alone have had
  all.u64((std::uint64_t{1} << 60) - 1);
  ByteReader reader(all.bytes());
  EXPECT_EQ(processor::prepare(reader), CPPC_ERR_MISMATCH);
}

TEST(Processor, UnknownFeaturesAreRefused) {
  ByteWriter writer;
  writer.u64(~std::uint64_t{0});
  ByteReader reader(writer.bytes());
  EXPECT_EQ(processor::prepare(reader), CPPC_ERR_IMAGE);
}

}  // namespace
}  // namespace cppc::address
