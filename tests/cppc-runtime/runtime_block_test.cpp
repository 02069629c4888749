/// The runtime's block: read as it was written, and never trusted.
#include "runtime_block.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

#include "bytes.hpp"
#include "runtime_block_example.hpp"
#include "type_table.hpp"

namespace cppc {
namespace {

TEST(RuntimeBlock, IsReadAsItWasWritten) {
  const RuntimeBlock written = example();
  const auto read = read_runtime_block(write_runtime_block(written));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->passed, 12345U);
  EXPECT_EQ(read->site, 7U);
  EXPECT_EQ(read->next_heap_number, 100U);
  EXPECT_EQ(read->functions, written.functions);
  EXPECT_EQ(read->modules, written.modules);
  EXPECT_EQ(read->calls, written.calls);
  EXPECT_EQ(read->mpi, written.mpi);
  ASSERT_EQ(read->inventory.objects.size(), written.inventory.objects.size());
  for (std::size_t i = 0; i < written.inventory.objects.size(); ++i) {
    const Object& a = written.inventory.objects[i];
    const Object& b = read->inventory.objects[i];
    EXPECT_EQ(label(a), label(b));
    EXPECT_TRUE(same_structure(*a.layout, *b.layout)) << label(a);
    EXPECT_STREQ(a.layout->type->name, b.layout->type->name);
    EXPECT_EQ(a.count, b.count);
    EXPECT_EQ(a.alignment, b.alignment);
    EXPECT_EQ(a.shadow, b.shadow);
    EXPECT_EQ(a.dead, b.dead);
    EXPECT_EQ(a.depth, b.depth);
  }
  ASSERT_EQ(read->inventory.frames.size(), 2U);
  EXPECT_EQ(read->inventory.frames[1].function, "solve");
  EXPECT_EQ(read->inventory.frames[1].place, 1);
  EXPECT_EQ(read->inventory.frames[1].first, 3U);
  EXPECT_EQ(read->inventory.frames[1].count, 1U);
}

TEST(RuntimeBlock, IsReadWithSignsOfLife) {
  RuntimeBlock block = example();
  block.next_heap_number = 20'100;
  for (int number = 100; number < 20'100; ++number) {
    block.inventory.objects.push_back({.section = CPPC_SECTION_HEAP,
                                       .name = std::to_string(number),
                                       .layout = &layout_of(&cppc_type_double),
                                       .count = 1});
  }
  int signs = 0;
  const KeepAlive keep_alive([](void* counter) { ++*static_cast<int*>(counter); }, &signs);
  ASSERT_TRUE(read_runtime_block(write_runtime_block(block), keep_alive));
  EXPECT_GE(signs, 4);
}

TEST(RuntimeBlock, HasEveryStructureOnce) {
  static const auto twin_fields = item_fields;
  static const cppc_type twin{CPPC_STRUCT, sizeof(Item), "Item", twin_fields.data(), twin_fields.size()};
  TypeTableWriter types;
  EXPECT_EQ(types.number_of(&item_type), types.number_of(&twin));
  EXPECT_NE(types.number_of(&item_type), types.number_of(&cppc_type_double));
}

TEST(RuntimeBlock, IsRefusedWhenTruncatedOrTooLong) {
  auto bytes = write_runtime_block(example());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(read_runtime_block(std::span(bytes).first(size))) << size;
  }
  bytes.push_back(std::byte{0});
  EXPECT_FALSE(read_runtime_block(bytes));
}

TEST(RuntimeBlock, SurvivesEveryChangeOfAByte) {
  const auto bytes = write_runtime_block(example());
  std::size_t refused = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const unsigned mask : {0x01U, 0x80U, 0xffU}) {
      auto changed = bytes;
      changed[i] ^= static_cast<std::byte>(mask);
      const auto read = read_runtime_block(changed);
      if (!read) ++refused;
      if (!read) continue;
      for (const Object& object : read->inventory.objects) {  // what is accepted can be worked with
        EXPECT_EQ(object.layout->defect, "");
        EXPECT_LE(object.bytes(), std::uint64_t{INT64_MAX});
      }
    }
  }
  EXPECT_GT(refused, bytes.size());
}

template <typename Change>
bool accepted(Change change) {
  RuntimeBlock block = example();
  change(block);
  return read_runtime_block(write_runtime_block(block)).has_value();
}

TEST(RuntimeBlock, IsRefusedWhenItContradictsItself) {
  EXPECT_TRUE(accepted([](RuntimeBlock&) {}));
  EXPECT_FALSE(accepted([](RuntimeBlock& block) { block.inventory.frames.clear(); })) << "objects of no frame";
  EXPECT_FALSE(accepted([](RuntimeBlock& block) { block.inventory.frames[1].count = 2; })) << "a heap block in a frame";
  EXPECT_FALSE(accepted([](RuntimeBlock& block) { block.inventory.frames[0].place = 0; })) << "no place to go on at";
  EXPECT_FALSE(accepted([](RuntimeBlock& block) { block.next_heap_number = 99; })) << "a number not given yet";
  EXPECT_FALSE(accepted([](RuntimeBlock& block) { block.inventory.objects[4].name = "x"; })) << "not a number";
  EXPECT_FALSE(accepted([](RuntimeBlock& block) { block.inventory.objects[5].name = "3"; })) << "a number twice";
  EXPECT_FALSE(accepted([](RuntimeBlock& block) { block.inventory.objects[4].count = UINT64_MAX / 16; })) << "overflow";
  EXPECT_FALSE(accepted([](RuntimeBlock& block) { block.inventory.objects[4].alignment = 24; })) << "no power of two";
  EXPECT_FALSE(accepted([](RuntimeBlock& block) { std::swap(block.inventory.objects[0], block.inventory.objects[4]); }))
      << "sections out of order";
}

/// A table of one structure whose only member is of type number `member`.
std::optional<std::vector<const cppc_type*>> read_structure(std::uint32_t member, std::uint64_t offset,
                                                            std::uint64_t count) {
  ByteWriter writer;
  writer.u64(2);
  writer.u8(CPPC_FLOAT), writer.u64(8), writer.text("double"), writer.u64(0);
  writer.u8(CPPC_STRUCT), writer.u64(16), writer.text("s"), writer.u64(1);
  writer.text("m"), writer.u64(offset), writer.u32(member), writer.u64(count);
  ByteReader reader(writer.bytes());
  return read_types(reader);
}

TEST(TypeTable, RefusesTypesThatCannotBe) {
  EXPECT_TRUE(read_structure(0, 8, 1));
  EXPECT_FALSE(read_structure(1, 0, 1)) << "contains itself";
  EXPECT_FALSE(read_structure(2, 0, 1)) << "no such type";
  EXPECT_FALSE(read_structure(0, 16, 1)) << "a member outside";
  EXPECT_FALSE(read_structure(0, 0, UINT64_MAX)) << "more members than bytes";
}

}  // namespace
}  // namespace cppc
