#include "address/pieces.hpp"

#include <gtest/gtest.h>

namespace cppc::address {
namespace {

Block example() {
  static std::byte memory[64];
  Block block{.passed = 7, .site = 3, .stack_end = 0x2080'0000'1000, .stack_guard = 99, .heap_extent = 1 << 20};
  block.carried = {{"", "build id 1", 0}, {"libx.so", "build id 2", 0x7000}};
  block.thread_data = {{1,
                        {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}, std::byte{5}, std::byte{6},
                         std::byte{7}, std::byte{8}}}};
  block.pieces = {{CPPC_SECTION_GLOBAL, "program/1000", memory, {}}, {CPPC_SECTION_STACK, "stack", memory, {}}};
  block.libraries = {{"libc.so.6", "build id 3", 0x9000}};
  block.words = {{0, 0, 8, 16}, {2, own_thread, 0, 40}, {0, from_startup, 56, 0}};
  block.process = {std::byte{1}};
  block.mpi = {std::byte{2}, std::byte{3}};
  return block;
}

TEST(Pieces, AreReadAsTheyWereWritten) {
  const Block written = example();
  Block read;
  ASSERT_TRUE(read_block(write_block(written), read));
  EXPECT_EQ(read.passed, 7U);
  EXPECT_EQ(read.site, 3U);
  EXPECT_EQ(read.stack_end, written.stack_end);
  EXPECT_EQ(read.stack_guard, 99U);
  EXPECT_EQ(read.heap_extent, written.heap_extent);
  ASSERT_EQ(read.pieces.size(), 2U);
  EXPECT_EQ(read.pieces[0].name, "program/1000");
  EXPECT_EQ(read.pieces[1].section, CPPC_SECTION_STACK);
  EXPECT_EQ(read.pieces[0].memory.data(), written.pieces[0].memory.data());
  EXPECT_EQ(read.pieces[0].memory.size(), 64U);
  ASSERT_EQ(read.words.size(), 3U);
  EXPECT_EQ(read.words[1].library, own_thread);
  EXPECT_EQ(read.words[2].library, from_startup);
  EXPECT_EQ(read.words[0].target, 16U);
  EXPECT_EQ(read.carried[1].base, 0x7000U);
  EXPECT_EQ(read.thread_data[0].bytes, written.thread_data[0].bytes);
  EXPECT_EQ(read.mpi, written.mpi);
}

TEST(Pieces, AreRefusedWhenTheyEndTooEarlyOrLate) {
  const auto bytes = write_block(example());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Block read;
    EXPECT_FALSE(read_block(std::span(bytes).first(size), read)) << size;
  }
  auto longer = bytes;
  longer.push_back(std::byte{0});
  Block read;
  EXPECT_FALSE(read_block(longer, read));
}

TEST(Pieces, AreRefusedWithWordsOutsideOfThem) {
  for (const OutwardWord& word :
       {OutwardWord{0, 0, 57, 0}, OutwardWord{2, 0, 1, 0}, OutwardWord{3, 0, 0, 0}, OutwardWord{0, 1, 0, 0}}) {
    Block block = example();
    block.words.push_back(word);
    Block read;
    EXPECT_FALSE(read_block(write_block(block), read)) << word.piece << " " << word.offset;
  }
}

TEST(Pieces, AreRefusedWithThreadDataOfNoObject) {
  Block block = example();
  block.thread_data[0].object = 2;
  Block read;
  EXPECT_FALSE(read_block(write_block(block), read));
}

}  // namespace
}  // namespace cppc::address
