/// A runtime block with something of everything.
#pragma once

#include <array>
#include <cstddef>

#include "layout.hpp"
#include "runtime_block.hpp"

namespace cppc {

struct Item {
  void* next;
  double values[3];
};
inline const std::array<cppc_field, 2> item_fields{
    {{"next", 0, &cppc_type_pointer, 1}, {"values", offsetof(Item, values), &cppc_type_double, 3}}};
inline const cppc_type item_type{CPPC_STRUCT, sizeof(Item), "Item", item_fields.data(), item_fields.size()};

inline RuntimeBlock example() {
  const Layout* item = &layout_of(&item_type);
  const Layout* number = &layout_of(&cppc_type_double);
  RuntimeBlock block;
  block.passed = 12345;
  block.site = 7;
  block.next_heap_number = 100;
  block.functions = {"first", "second"};
  block.inventory.objects = {
      {.section = CPPC_SECTION_GLOBAL, .name = "table", .layout = number, .count = 16},
      {.section = CPPC_SECTION_FRAME, .name = "0/main/(shadow)", .layout = item, .count = 1, .shadow = true},
      {.section = CPPC_SECTION_FRAME, .name = "0/main/local", .layout = number, .count = 2, .dead = true},
      {.section = CPPC_SECTION_FRAME, .name = "1/solve/x", .layout = item, .count = 5, .depth = 1},
      {.section = CPPC_SECTION_HEAP, .name = "3", .layout = item, .count = 9, .alignment = 64},
      {.section = CPPC_SECTION_HEAP, .name = "99", .layout = number, .count = 0},
  };
  block.inventory.frames = {{"main", 4, 1, 2}, {"solve", 1, 3, 1}};
  block.modules = {{"", "build id 12ab"}, {"libm.so.6", "contents 7"}};
  block.calls = {{"open_log", 3}, {"seed", 0}};
  block.mpi = {std::byte{1}, std::byte{2}};
  return block;
}

}  // namespace cppc
