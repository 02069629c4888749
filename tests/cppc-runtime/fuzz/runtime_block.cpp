/// The runtime's own block of an image: what there is, its types, the program's functions and calls.
#include "runtime_block.hpp"

#include <array>

#include "fuzz.hpp"
#include "layout.hpp"

namespace {

using namespace cppc;
using fuzz::require;

struct Item {
  void* next;
  double values[3];
};
const std::array<cppc_field, 2> item_fields{
    {{"next", 0, &cppc_type_pointer, 1}, {"values", offsetof(Item, values), &cppc_type_double, 3}}};
const cppc_type item_type{CPPC_STRUCT, sizeof(Item), "Item", item_fields.data(), item_fields.size()};

RuntimeBlock example() {
  const Layout* item = &layout_of(&item_type);
  const Layout* number = &layout_of(&cppc_type_double);
  RuntimeBlock block{.passed = 12345, .site = 7, .next_heap_number = 100};
  block.functions = {"first", "second"};
  block.inventory.objects = {
      {.section = CPPC_SECTION_GLOBAL, .name = "table", .layout = number, .count = 16},
      {.section = CPPC_SECTION_FRAME, .name = "0/main/(shadow)", .layout = item, .count = 1, .shadow = true},
      {.section = CPPC_SECTION_FRAME, .name = "0/main/local", .layout = number, .count = 2, .dead = true},
      {.section = CPPC_SECTION_FRAME, .name = "1/solve/x", .layout = item, .count = 5, .depth = 1},
      {.section = CPPC_SECTION_HEAP, .name = "3", .layout = item, .count = 9, .alignment = 64}};
  block.inventory.frames = {{"main", 4, 1, 2}, {"solve", 1, 3, 1}};
  block.modules = {{"", "build id 12ab"}, {"libm.so.6", "contents 7"}};
  block.calls = {{"open_log", 3}, {"seed", 0}};
  block.mpi = {std::byte{1}, std::byte{2}};
  return block;
}

/// What is asked of an object before it is in memory.
void look_at(const Object& object) {
  const Layout& layout = *object.layout;
  require(layout.defect.empty() && (layout.type->size == 0 || object.bytes() / layout.type->size == object.count));
  (void)label(object, object.bytes() / 2);
  if (object.bytes() == 0) return;
  if (const auto leaf = leaf_at(layout, object.count, object.bytes() / 2))
    require(offset_of(layout, object.count, *leaf).has_value());
}

}  // namespace

namespace cppc::fuzz {

std::vector<Bytes> seeds() {
  RuntimeBlock small;
  small.inventory.frames = {{"main", 1, 0, 0}};
  return {write_runtime_block(example()), write_runtime_block(small)};
}

}  // namespace cppc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto block = read_runtime_block(std::as_bytes(std::span(data, size)));
  if (!block) return 0;
  std::size_t objects = 0;
  for (const Object& object : block->inventory.objects) {
    look_at(object);
    objects += object.section == CPPC_SECTION_FRAME ? 1 : 0;
  }
  for (const Frame& frame : block->inventory.frames) objects -= frame.count;
  require(objects == 0);
  const auto again = write_runtime_block(*block);
  const auto reread = read_runtime_block(again);
  require(reread && write_runtime_block(*reread) == again);
  return 0;
}
