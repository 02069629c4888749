/// What is written is read again; what is not there is not read.
#include "bytes.hpp"

#include <gtest/gtest.h>

#include <array>

namespace cppc {
namespace {

TEST(Bytes, ReadsWhatWasWritten) {
  ByteWriter writer;
  writer.u8(200);
  writer.u32(0x12345678);
  writer.u64(UINT64_MAX - 1);
  writer.i32(-5);
  writer.i64(INT64_MIN);
  writer.text("two words");
  ByteReader reader(writer.bytes());
  EXPECT_EQ(reader.u8(), 200);
  EXPECT_EQ(reader.u32(), 0x12345678U);
  EXPECT_EQ(reader.u64(), UINT64_MAX - 1);
  EXPECT_EQ(reader.i32(), -5);
  EXPECT_EQ(reader.i64(), INT64_MIN);
  EXPECT_EQ(reader.text(), "two words");
  EXPECT_TRUE(reader.at_end());
}

TEST(Bytes, AreLittleEndian) {
  ByteWriter writer;
  writer.u32(0x01020304);
  const std::array<std::byte, 4> expected{std::byte{4}, std::byte{3}, std::byte{2}, std::byte{1}};
  EXPECT_TRUE(std::ranges::equal(writer.bytes(), expected));
}

TEST(Bytes, StayBadAfterAReadBeyondTheEnd) {
  ByteWriter writer;
  writer.u32(7);
  ByteReader reader(writer.bytes());
  EXPECT_EQ(reader.u64(), 0U);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.u32(), 0U) << "though four bytes are there";
  EXPECT_FALSE(reader.at_end());
}

TEST(Bytes, RefuseLengthsAndCountsThatCannotBe) {
  ByteWriter writer;
  writer.u64(UINT64_MAX);
  writer.u64(0);
  ByteReader text(writer.bytes());
  EXPECT_EQ(text.text(), "");
  EXPECT_FALSE(text.ok());
  ByteReader counted(writer.bytes());
  EXPECT_EQ(counted.count(1), 0U);
  EXPECT_FALSE(counted.ok());
}

}  // namespace
}  // namespace cppc
