/// Leaves of objects: from offsets to numbers and back.
#include "layout.hpp"

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstddef>

namespace cppc {
namespace {

struct Inner {
  char text[3];
  int number;
};
const std::array<cppc_field, 2> inner_fields{
    {{"text", offsetof(Inner, text), &cppc_type_char, 3}, {"number", offsetof(Inner, number), &cppc_type_int, 1}}};
const cppc_type inner_type{CPPC_STRUCT, sizeof(Inner), "Inner", inner_fields.data(), inner_fields.size()};

struct Outer {
  double value;
  Inner inner[2];
  void* next;
  char last;
};
const std::array<cppc_field, 4> outer_fields{{{"last", offsetof(Outer, last), &cppc_type_char, 1},  // in any order
                                              {"value", offsetof(Outer, value), &cppc_type_double, 1},
                                              {"inner", offsetof(Outer, inner), &inner_type, 2},
                                              {"next", offsetof(Outer, next), &cppc_type_pointer, 1}}};
const cppc_type outer_type{CPPC_STRUCT, sizeof(Outer), "Outer", outer_fields.data(), outer_fields.size()};

std::string defect_of(const cppc_type& type) { return layout_of(&type).defect; }

TEST(Layout, CountsTheScalarsOfAStructure) {
  const Layout& layout = layout_of(&outer_type);
  EXPECT_EQ(layout.defect, "");
  EXPECT_EQ(layout.leaves, 1U + 2 * 4 + 1 + 1);
  EXPECT_TRUE(layout.references);
  EXPECT_FALSE(layout_of(&inner_type).references);
}

TEST(Layout, NumbersLeavesInOrderOfMemory) {
  const Layout& layout = layout_of(&outer_type);
  const auto leaf = [&](std::size_t offset) { return leaf_at(layout, 2, offset); };
  EXPECT_EQ(leaf(0), (Leaf{0}));
  EXPECT_EQ(leaf(offsetof(Outer, inner)), (Leaf{1}));
  EXPECT_EQ(leaf(offsetof(Outer, inner) + 2), (Leaf{3}));
  EXPECT_EQ(leaf(offsetof(Outer, inner) + offsetof(Inner, number)), (Leaf{4}));
  EXPECT_EQ(leaf(offsetof(Outer, inner) + sizeof(Inner)), (Leaf{5}));
  EXPECT_EQ(leaf(offsetof(Outer, next)), (Leaf{9}));
  EXPECT_EQ(leaf(sizeof(Outer)), (Leaf{11}));
  EXPECT_EQ(leaf(2 * sizeof(Outer)), (Leaf{22}));
}

TEST(Layout, TellsTheEndOfAMemberFromPadding) {
  const Layout& layout = layout_of(&outer_type);
  EXPECT_EQ(leaf_at(layout, 1, offsetof(Outer, inner) + 3), (Leaf{3, true}));
  EXPECT_EQ(leaf_at(layout, 1, offsetof(Outer, last) + 1), (Leaf{10, true}));
  EXPECT_EQ(leaf_at(layout, 1, offsetof(Outer, last) + 2), std::nullopt);
}

TEST(Layout, HasNoLeafInTheMiddleOfAScalarOrBeyondTheObject) {
  EXPECT_EQ(leaf_at(layout_of(&outer_type), 1, 4), std::nullopt);
  EXPECT_EQ(leaf_at(layout_of(&outer_type), 1, sizeof(Outer) + 1), std::nullopt);
  EXPECT_EQ(leaf_at(layout_of(&cppc_type_double), 3, 12), std::nullopt);
  EXPECT_EQ(leaf_at(layout_of(&cppc_type_double), 0, 0), (Leaf{0}));
}

TEST(Layout, CountsBytesOneByOneAndComplexNumbersTwice) {
  static const cppc_type blob{CPPC_BYTES, 12, "blob", nullptr, 0};
  EXPECT_EQ(leaf_at(layout_of(&blob), 2, 17), (Leaf{17}));
  EXPECT_EQ(leaf_at(layout_of(&cppc_type_double_complex), 2, 24), (Leaf{3}));
  EXPECT_EQ(leaf_at(layout_of(&cppc_type_double_complex), 2, 20), std::nullopt);
}

TEST(Layout, FindsEveryLeafAgain) {
  const Layout& layout = layout_of(&outer_type);
  std::size_t found = 0;
  for (std::size_t offset = 0; offset <= 3 * sizeof(Outer); ++offset) {
    const auto leaf = leaf_at(layout, 3, offset);
    if (!leaf) continue;
    ++found;
    EXPECT_EQ(offset_of(layout, 3, *leaf), offset);
  }
  EXPECT_EQ(found, 3U * (11 + 3) + 1);  // three places behind members where padding follows
}

TEST(Layout, HasNoOffsetForLeavesBeyondTheObject) {
  const Layout& layout = layout_of(&outer_type);
  EXPECT_EQ(offset_of(layout, 2, {22}), 2 * sizeof(Outer));
  EXPECT_EQ(offset_of(layout, 2, {22, true}), std::nullopt);
  EXPECT_EQ(offset_of(layout, 2, {23}), std::nullopt);
}

TEST(Layout, SkipsEmptyMembers) {
  struct Tail {
    int size;
    int empty[0];
    int data[2];
  };
  static const std::array<cppc_field, 3> fields{{{"size", 0, &cppc_type_int, 1},
                                                 {"empty", offsetof(Tail, empty), &cppc_type_int, 0},
                                                 {"data", offsetof(Tail, data), &cppc_type_int, 2}}};
  static const cppc_type type{CPPC_STRUCT, sizeof(Tail), "Tail", fields.data(), fields.size()};
  const Layout& layout = layout_of(&type);
  EXPECT_EQ(leaf_at(layout, 1, 4), (Leaf{1}));
  EXPECT_EQ(offset_of(layout, 1, {1}), 4U);
  EXPECT_EQ(offset_of(layout, 1, {2}), 8U);
}

TEST(Layout, WritesPathsAsTheProgramWould) {
  const Layout& layout = layout_of(&outer_type);
  EXPECT_EQ(path_to(layout, 1, offsetof(Outer, next)), ".next");
  EXPECT_EQ(path_to(layout, 4, 3 * sizeof(Outer) + offsetof(Outer, inner) + sizeof(Inner) + 1), "[3].inner[1].text[1]");
  EXPECT_EQ(path_to(layout_of(&cppc_type_pointer), 1, 0), "");
}

TEST(Layout, ComparesStructuresNotNames) {
  static const auto fields = outer_fields;
  static const cppc_type twin{CPPC_STRUCT, sizeof(Outer), "Twin", fields.data(), fields.size()};
  EXPECT_TRUE(same_structure(layout_of(&outer_type), layout_of(&twin)));
  static auto renamed_fields = outer_fields;
  renamed_fields[3].name = "previous";
  static const cppc_type renamed{CPPC_STRUCT, sizeof(Outer), "Outer", renamed_fields.data(), renamed_fields.size()};
  EXPECT_FALSE(same_structure(layout_of(&outer_type), layout_of(&renamed)));
  EXPECT_FALSE(same_structure(layout_of(&cppc_type_long), layout_of(&cppc_type_unsigned_long)));
  EXPECT_TRUE(same_structure(layout_of(&cppc_type_long), layout_of(&cppc_type_long_long)));
}

TEST(Layout, RefusesDescriptorsThatCannotBe) {
  static const std::array<cppc_field, 2> overlapping{{{"a", 0, &cppc_type_int, 2}, {"b", 4, &cppc_type_int, 1}}};
  static const cppc_type united{CPPC_STRUCT, 8, "united", overlapping.data(), 2};
  EXPECT_NE(defect_of(united).find("member b of type united overlaps"), std::string::npos);

  static const std::array<cppc_field, 1> outside{{{"a", 4, &cppc_type_int, 2}}};
  static const cppc_type leaking{CPPC_STRUCT, 8, "leaking", outside.data(), 1};
  EXPECT_NE(defect_of(leaking), "");

  static const std::array<cppc_field, 1> huge{{{"a", 4, &cppc_type_int, SIZE_MAX / 2}}};
  static const cppc_type overflowing{CPPC_STRUCT, 8, "overflowing", huge.data(), 1};
  EXPECT_NE(defect_of(overflowing), "");

  static const cppc_type short_pointer{CPPC_POINTER, 4, "short pointer", nullptr, 0};
  EXPECT_NE(defect_of(short_pointer), "");
  static const cppc_type no_bytes{CPPC_SIGNED, 0, "no bytes", nullptr, 0};
  EXPECT_NE(defect_of(no_bytes), "");
}

TEST(Layout, RefusesTypesThatContainThemselves) {
  static cppc_type snake{CPPC_STRUCT, 8, "snake", nullptr, 1};
  static const cppc_field tail{"tail", 0, &snake, 1};
  snake.fields = &tail;
  EXPECT_EQ(defect_of(snake), "type snake contains itself");
}

}  // namespace
}  // namespace cppc
