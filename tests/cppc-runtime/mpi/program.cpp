#include "program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "handles.hpp"
#include "heap.hpp"
#include "layout.hpp"
#include "registry.hpp"
#include "type_table.hpp"

namespace cppc::test {

namespace {

std::byte* memory_begin() { return reinterpret_cast<std::byte*>(memory.data()); }

/// A function's place among those that are declared, plus one.
std::uint64_t encode_function(const std::byte* field) {
  void (*function)() = nullptr;
  std::memcpy(&function, field, sizeof function);
  if (function == nullptr) return 0;
  const auto& functions = registry().functions;
  const auto found = std::ranges::find(functions, function, &cppc_function::address);
  EXPECT_NE(found, functions.end());
  return static_cast<std::uint64_t>(found - functions.begin()) + 1;
}

/// A pointer into a block is this, the block's number and the offset in it.
constexpr std::uint64_t in_block = std::uint64_t{1} << 63;
constexpr unsigned offset_bits = 32;

std::optional<std::uint64_t> encode_in_block(const std::byte* pointer) {
  for (const auto& [address, block] : heap().blocks()) {
    if (pointer < address || pointer >= address + block.bytes) continue;
    return in_block | block.number << offset_bits | static_cast<std::uint64_t>(pointer - address);
  }
  return {};
}

std::byte* decode_in_block(std::uint64_t stored) {
  const std::uint64_t number = (stored & ~in_block) >> offset_bits;
  const auto blocks = heap().blocks();
  const auto found = std::ranges::find(blocks, number, [](const Heap::Entry& entry) { return entry.block.number; });
  EXPECT_NE(found, blocks.end());
  return found->address + (stored & ((std::uint64_t{1} << offset_bits) - 1));
}

std::uint64_t encode(cppc_kind kind, const std::byte* field) {
  if (kind == CPPC_FUNCTION) return encode_function(field);
  if (kind != CPPC_POINTER) return handles::encode(kind, field).value();
  const std::byte* pointer = nullptr;
  std::memcpy(&pointer, field, sizeof pointer);
  if (pointer == nullptr) return 0;
  if (const auto stored = encode_in_block(pointer)) return *stored;
  EXPECT_TRUE(pointer >= memory_begin() && pointer < memory_begin() + sizeof memory);
  return static_cast<std::uint64_t>(pointer - memory_begin()) + 1;
}

void decode(cppc_kind kind, std::byte* field) {
  std::uint64_t stored = 0;
  std::memcpy(&stored, field, sizeof stored);
  if (kind == CPPC_FUNCTION) {
    void (*const function)() = stored == 0 ? nullptr : registry().functions.at(stored - 1).address;
    std::memcpy(field, &function, sizeof function);
    return;
  }
  if (kind != CPPC_POINTER) {
    ASSERT_TRUE(handles::decode(kind, stored, field));
    return;
  }
  const std::byte* pointer = stored == 0 ? nullptr : memory_begin() + (stored - 1);
  if ((stored & in_block) != 0) pointer = decode_in_block(stored);
  std::memcpy(field, &pointer, sizeof pointer);
}

}  // namespace

void declare(const char* name, void (*function)()) { registry().functions.push_back({name, function}); }

void save_heap(ByteWriter& writer) {
  TypeTableWriter types;
  ByteWriter blocks;
  const auto entries = heap().blocks();
  blocks.u64(entries.size());
  for (const auto& [address, block] : entries) {
    blocks.u64(block.number);
    blocks.u32(types.number_of(block.type));
    std::vector<std::byte> contents(address, address + block.bytes);
    auto visit = [&](cppc_kind kind, std::uint64_t offset) {
      const std::uint64_t stored = encode(kind, &contents[offset]);
      std::memcpy(&contents[offset], &stored, sizeof stored);
      return true;
    };
    if (layout_of(block.type).references) each_reference(layout_of(block.type), 0, visit);
    blocks.block(contents);
  }
  writer.u64(heap().next_number());
  types.write(writer);
  writer.raw(blocks.bytes());
}

void load_heap(ByteReader& reader) {
  heap().reserve_numbers(reader.u64());
  const auto types = read_types(reader);
  ASSERT_TRUE(types);
  std::vector<Heap::Entry> adopted;
  const std::uint64_t count = reader.u64();
  for (std::uint64_t i = 0; i < count; ++i) {
    HeapBlock block{.number = reader.u64(), .bytes = 0, .alignment = 0, .type = (*types)[reader.u32()]};
    const auto contents = reader.block();
    block.bytes = contents.size();
    auto* const place = static_cast<std::byte*>(heap().adopt(block, false));
    std::ranges::copy(contents, place);
    adopted.push_back({place, block});
  }
  for (const auto& [place, block] : adopted) {
    auto visit = [&](cppc_kind kind, std::uint64_t offset) {
      decode(kind, place + offset);
      return true;
    };
    if (layout_of(block.type).references) each_reference(layout_of(block.type), 0, visit);
  }
}

}  // namespace cppc::test
