/// The runtime's own block of an image: what there is, its types, the program's functions and calls.
#include "runtime_block.hpp"

#include "fuzz.hpp"
#include "layout.hpp"
#include "runtime_block_example.hpp"

namespace {

using namespace cppc;
using fuzz::require;

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
