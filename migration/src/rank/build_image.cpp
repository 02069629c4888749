#include "build_image.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cppc::migration {
namespace {

std::string_view section_name(cppc_section section) {
  switch (section) {
    case CPPC_SECTION_RUNTIME:
      return "runtime";
    case CPPC_SECTION_GLOBAL:
      return "global";
    case CPPC_SECTION_FRAME:
      return "frame";
    case CPPC_SECTION_HEAP:
      return "heap";
    case CPPC_SECTION_STACK:
      return "stack";
    case CPPC_SECTION_THREAD:
      return "thread";
    case CPPC_SECTION_MAPPING:
      return "mapping";
  }
  return "unknown";
}

}  // namespace

tl::expected<ImageBuilder, cppc_status> ImageBuilder::create() {
  return image::Writer::create().map([](image::Writer&& writer) { return ImageBuilder(std::move(writer)); });
}

cppc_status ImageBuilder::add(const cppc_block& block) {
  image::Object object;
  object.path = std::string(section_name(block.section)) + "/" + block.name;
  object.type = types_.translate(block.type);
  object.count = block.count;
  object.address = block.address;
  object.in_head = block.section == CPPC_SECTION_RUNTIME;  // it is wanted first
  if (block.data != nullptr)
    object.data = {static_cast<const std::byte*>(block.data), static_cast<std::size_t>(block.bytes)};
  std::vector<image::Part> holes;
  for (const cppc_part& hole : std::span(block.holes, static_cast<std::size_t>(block.hole_count)))
    holes.push_back({hole.offset, hole.bytes});
  object.holes = holes;
  auto added = writer_.add(object);
  return added ? CPPC_OK : added.error();
}

}  // namespace cppc::migration
