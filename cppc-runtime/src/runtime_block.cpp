#include "runtime_block.hpp"

#include <bit>
#include <charconv>
#include <limits>

#include "bytes.hpp"
#include "small_blocks.hpp"
#include "type_table.hpp"

namespace cppc {

namespace {

constexpr std::uint64_t magic = 0x4b434f4c42435043;  // "CPCBLOCK"
constexpr std::uint32_t version = 6;
constexpr std::uint64_t max_heap_number = SmallBlocks::max_number / 2;  // as many are left for the process itself
constexpr std::uint64_t max_alignment = std::uint64_t{1} << 30;
constexpr std::size_t min_object_bytes = 1 + 1 + 8 + 4 + 8 + 8;
constexpr std::size_t min_frame_bytes = 8 + 4 + 8;
constexpr std::size_t min_text_bytes = 8;

enum Flags : std::uint8_t { flag_dead = 1, flag_shadow = 2 };

void write_object(ByteWriter& writer, TypeTableWriter& types, const Object& object) {
  writer.u8(object.section);
  writer.u8((object.dead ? flag_dead : 0) | (object.shadow ? flag_shadow : 0));
  writer.text(object.name);
  writer.u32(types.number_of(stored_layout(*object.layout).type));
  writer.u64(object.count);
  writer.u64(object.alignment);
}

bool plausible(const Object& object) {
  const std::uint64_t size = object.layout->type->size;
  return (size == 0 || object.count <= std::numeric_limits<std::int64_t>::max() / size) &&
         (object.alignment == 0 || (std::has_single_bit(object.alignment) && object.alignment <= max_alignment)) &&
         (!object.shadow || (object.section == CPPC_SECTION_FRAME && object.count == 1 && !object.dead));
}

void read_objects(ByteReader& reader, const std::vector<const cppc_type*>& types, std::vector<Object>& objects,
                  const KeepAlive& keep_alive) {
  const std::uint64_t count = reader.count(min_object_bytes);
  objects.reserve(count);
  std::uint8_t section_before = CPPC_SECTION_GLOBAL;
  for (std::uint64_t i = 0; i < count; ++i) {
    keep_alive(i);
    const std::uint8_t section = reader.u8();
    const std::uint8_t flags = reader.u8();
    const auto name = reader.text();
    const std::uint32_t type = reader.u32();
    if (!reader.ok() || section < section_before || section > CPPC_SECTION_HEAP || type >= types.size()) {
      return reader.fail();
    }
    section_before = section;
    objects.push_back({.section = static_cast<cppc_section>(section),
                       .name = std::string(name),
                       .layout = &layout_of(types[type]),
                       .count = reader.u64(),
                       .alignment = reader.u64(),
                       .shadow = (flags & flag_shadow) != 0,
                       .dead = (flags & flag_dead) != 0});
    if (!plausible(objects.back())) return reader.fail();
  }
}

/// Deals the objects of the frame section out to the frames.
void read_frames(ByteReader& reader, Inventory& inventory) {
  auto& objects = inventory.objects;
  std::size_t next = 0;
  while (next < objects.size() && objects[next].section == CPPC_SECTION_GLOBAL) ++next;
  const std::uint64_t count = reader.count(min_frame_bytes);
  for (std::uint64_t depth = 0; depth < count; ++depth) {
    const auto function = reader.text();
    const std::int32_t place = reader.i32();
    const std::uint64_t size = reader.u64();
    if (!reader.ok() || place <= 0 || size > objects.size() - next) return reader.fail();
    for (std::size_t i = next; i < next + size; ++i) {
      if (objects[i].section != CPPC_SECTION_FRAME || (objects[i].shadow && i != next)) return reader.fail();
      objects[i].depth = depth;
    }
    inventory.frames.push_back({std::string(function), place, next, static_cast<std::size_t>(size)});
    next += size;
  }
  const bool all = next == objects.size() || objects[next].section == CPPC_SECTION_HEAP;
  if (!all || inventory.frames.empty()) reader.fail();
}

/// Heap blocks are named by their numbers, which rise.
bool heap_is_in_order(const RuntimeBlock& block) {
  if (block.next_heap_number > max_heap_number) return false;
  std::uint64_t before = 0;
  for (const Object& object : block.inventory.objects) {
    if (object.section != CPPC_SECTION_HEAP) continue;
    const auto number = heap_number(object);
    if (!number || *number <= before || *number >= block.next_heap_number) return false;
    before = *number;
  }
  return true;
}

}  // namespace

std::optional<std::uint64_t> heap_number(const Object& object) {
  std::uint64_t number = 0;
  const char* end = object.name.data() + object.name.size();
  const auto result = std::from_chars(object.name.data(), end, number);
  return result.ec == std::errc() && result.ptr == end ? std::optional(number) : std::nullopt;
}

std::vector<std::byte> write_runtime_block(const RuntimeBlock& block) {
  TypeTableWriter types;
  ByteWriter objects;
  objects.u64(block.inventory.objects.size());
  for (const Object& object : block.inventory.objects) write_object(objects, types, object);

  ByteWriter writer;
  writer.u64(magic);
  writer.u32(version);
  block.architecture.write(writer);
  writer.u64(block.passed);
  writer.u32(block.site);
  writer.u64(block.next_heap_number);
  types.write(writer);
  writer.raw(objects.bytes());
  writer.u64(block.inventory.frames.size());
  for (const Frame& frame : block.inventory.frames) {
    writer.text(frame.function);
    writer.i32(frame.place);
    writer.u64(frame.count);
  }
  writer.u64(block.functions.size());
  for (const std::string& function : block.functions) writer.text(function);
  writer.u64(block.modules.size());
  for (const ModuleId& module : block.modules) {
    writer.text(module.name);
    writer.text(module.identity);
  }
  writer.u64(block.words.size());
  for (const std::uint64_t word : block.words) writer.u64(word);
  writer.u64(block.constants.size());
  for (const OutsideConstant& constant : block.constants) {
    writer.u64(constant.stored);
    writer.text(constant.name);
    writer.text(constant.text);
    writer.u64(constant.leaf.number);
    writer.u8(constant.leaf.past ? 1 : 0);
  }
  writer.u64(block.calls.size());
  for (const StoredCall& call : block.calls) {
    writer.text(call.name);
    writer.u64(call.arguments);
  }
  writer.block(block.mpi);
  return std::move(writer).take();
}

std::optional<RuntimeBlock> read_runtime_block(std::span<const std::byte> bytes, const KeepAlive& keep_alive) {
  ByteReader reader(bytes);
  if (reader.u64() != magic || reader.u32() != version) return std::nullopt;
  RuntimeBlock block;
  block.architecture = Architecture::read(reader);
  block.passed = reader.u64();
  block.site = reader.u32();
  block.next_heap_number = reader.u64();
  auto types = read_types(reader);
  if (!types) return std::nullopt;
  block.types = *std::move(types);
  read_objects(reader, block.types, block.inventory.objects, keep_alive);
  read_frames(reader, block.inventory);
  const std::uint64_t functions = reader.count(min_text_bytes);
  for (std::uint64_t i = 0; i < functions; ++i) block.functions.emplace_back(reader.text());
  const std::uint64_t modules = reader.count(2 * min_text_bytes);
  for (std::uint64_t i = 0; i < modules; ++i) {
    const auto name = reader.text();
    block.modules.push_back({std::string(name), std::string(reader.text())});
  }
  const std::uint64_t words = reader.count(sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i < words; ++i) block.words.push_back(reader.u64());
  const std::uint64_t constants = reader.count(2 * sizeof(std::uint64_t) + 2 * min_text_bytes + 1);
  for (std::uint64_t i = 0; i < constants; ++i) {
    OutsideConstant constant{.stored = reader.u64(), .name = std::string(reader.text()), .text = {}, .leaf = {}};
    constant.text = reader.text();
    constant.leaf.number = reader.u64();
    constant.leaf.past = reader.u8() != 0;
    block.constants.push_back(std::move(constant));
  }
  const std::uint64_t calls = reader.count(min_text_bytes + sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i < calls; ++i) {
    const auto name = reader.text();
    block.calls.push_back({std::string(name), reader.u64()});
  }
  const auto mpi = reader.block();
  block.mpi.assign(mpi.begin(), mpi.end());
  if (!reader.at_end() || !heap_is_in_order(block)) return std::nullopt;
  return block;
}

cppc_status visit_runtime_block(std::span<const std::byte> bytes,
                                cppc_status (*visit)(const cppc_block* block, void* context), void* context) {
  const cppc_block runtime{.section = CPPC_SECTION_RUNTIME,
                           .name = "runtime",
                           .type = &cppc_type_bytes,
                           .count = bytes.size(),
                           .bytes = bytes.size(),
                           .data = bytes.data(),
                           .stored_form = 1};
  return visit(&runtime, context);
}

}  // namespace cppc
