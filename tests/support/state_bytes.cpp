#include "state_bytes.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace cppc::test {
namespace {

/// In place of what is dead: not what anything holds by chance.
constexpr std::byte kNobodyReads{0xa5};

cppc_status add(const cppc_block* block, void* context) {
  auto& state = *static_cast<StateBytes*>(context);
  state.writer.u32(block->section);
  state.writer.text(block->name);
  state.writer.u64(block->bytes);
  state.writer.u8(block->data != nullptr);
  if (block->data != nullptr) {
    const auto* data = static_cast<const std::byte*>(block->data);
    std::vector<std::byte> contents(data, data + block->bytes);
    for (const cppc_part& hole : std::span(block->holes, block->hole_count))
      std::fill_n(contents.begin() + static_cast<std::ptrdiff_t>(hole.offset), hole.bytes, kNobodyReads);
    state.writer.block(contents);
  }
  ++state.objects;
  state.data += block->bytes;
  return CPPC_OK;
}

cppc_status restore_object(const cppc_runtime& runtime, ByteReader& reader) {
  const auto section = static_cast<cppc_section>(reader.u32());
  const std::string name(reader.text());
  const std::uint64_t bytes = reader.u64();
  const auto data = reader.u8() != 0 ? reader.block() : std::span<const std::byte>();
  if (!reader.ok()) return CPPC_ERR_IMAGE;
  if (section == CPPC_SECTION_RUNTIME) return runtime.restore_begin(data.data(), data.size(), nullptr, nullptr);
  void* place = nullptr;
  const cppc_status status = runtime.restore_place(section, name.c_str(), bytes, &place);
  if (status != CPPC_OK || place == nullptr) return status;
  if (data.size() != bytes) return CPPC_ERR_IMAGE;
  std::ranges::copy(data, static_cast<std::byte*>(place));
  return CPPC_OK;
}

}  // namespace

cppc_status capture(const cppc_runtime& runtime, StateBytes& state) { return runtime.capture(add, &state); }

cppc_status restore(const cppc_runtime& runtime, std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  while (reader.ok() && !reader.at_end())
    if (const cppc_status status = restore_object(runtime, reader); status != CPPC_OK) return status;
  return runtime.restore_end();
}

}  // namespace cppc::test
