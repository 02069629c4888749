/// Blocks of bytes as whole elements.
#include "shape.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

#include "layout.hpp"

namespace cppc {
namespace {

struct Node {
  int value;
  Node* next;
};
const std::array<cppc_field, 2> node_fields{
    {{"value", offsetof(Node, value), &cppc_type_int, 1}, {"next", offsetof(Node, next), &cppc_type_pointer, 1}}};
const cppc_type node_type{CPPC_STRUCT, sizeof(Node), "Node", node_fields.data(), node_fields.size()};

struct Message {
  void* owner;
  int length;
  char text[];  // begins inside of what sizeof counts
};
const std::array<cppc_field, 3> message_fields{{{"owner", offsetof(Message, owner), &cppc_type_pointer, 1},
                                                {"length", offsetof(Message, length), &cppc_type_int, 1},
                                                {"text", offsetof(Message, text), &cppc_type_char, 0}}};
const cppc_type message_type{CPPC_STRUCT, sizeof(Message), "Message", message_fields.data(), message_fields.size()};

TEST(Shape, IsTheTypeItselfForWholeElements) {
  const auto shape = shape_of(&node_type, 5 * sizeof(Node));
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->type, &node_type);
  EXPECT_EQ(shape->count, 5U);
  EXPECT_EQ(shape_of(&node_type, 0)->count, 0U);
}

TEST(Shape, GivesBytesBehindTheLastElementAPlace) {
  const auto shape = shape_of(&cppc_type_double, 21);
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->count, 1U);
  EXPECT_EQ(shape->type->size, 21U);
  const Layout& layout = layout_of(shape->type);
  EXPECT_EQ(layout.defect, "");
  EXPECT_EQ(layout.leaves, 2U + 5);
}

TEST(Shape, IsTheSameDescriptorEveryTime) {
  EXPECT_EQ(shape_of(&cppc_type_double, 21)->type, shape_of(&cppc_type_double, 21)->type);
}

TEST(Shape, CountsAFlexibleArrayMember) {
  for (const std::size_t bytes : {offsetof(Message, text), offsetof(Message, text) + 2, sizeof(Message),
                                  sizeof(Message) + 100, 2 * sizeof(Message)}) {
    const auto shape = shape_of(&message_type, bytes);
    ASSERT_TRUE(shape) << bytes;
    EXPECT_EQ(shape->count, 1U);
    EXPECT_EQ(shape->type->size, bytes);
    EXPECT_EQ(layout_of(shape->type).leaves, 2 + bytes - offsetof(Message, text));
    EXPECT_EQ(shape_of(shape->type, bytes)->type, shape->type) << "a made type is its own shape";
  }
}

TEST(Shape, RefusesReferencesInABrokenElement) {
  EXPECT_TRUE(shape_of(&node_type, sizeof(Node) + offsetof(Node, next)));
  struct Pair {
    void* first;
    int second;
  };
  static const std::array<cppc_field, 2> fields{
      {{"first", 0, &cppc_type_pointer, 1}, {"second", 8, &cppc_type_int, 1}}};
  static const cppc_type pair{CPPC_STRUCT, sizeof(Pair), "Pair", fields.data(), fields.size()};
  const auto shape = shape_of(&pair, sizeof(Pair) + 8);
  ASSERT_FALSE(shape);
  EXPECT_NE(shape.error().find("24 bytes, which is no whole number of elements of type Pair (16 bytes)"),
            std::string::npos)
      << shape.error();
}

}  // namespace
}  // namespace cppc
