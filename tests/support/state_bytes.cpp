#include "state_bytes.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace cppc::test {
namespace {

/// In place of what is dead: not what anything holds by chance.
constexpr std::byte kNobodyReads{0xa5};

/// Large holes may be zero because nobody has touched them: such pages are left as they are in the new process.
constexpr std::size_t kUntouched = std::size_t{1} << 16, kPage = 4096;

bool is_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

/// What has been written of a block, from its start.
struct Contents {
  ByteWriter writer;
  std::uint64_t parts = 0;
  void add(std::uint64_t offset, std::span<const std::byte> bytes) {
    if (bytes.empty()) return;
    writer.u64(offset);
    writer.block(bytes);
    ++parts;
  }
};

void add_hole(Contents& contents, std::span<const std::byte> data, const cppc_part& hole) {
  for (std::uint64_t at = 0; at < hole.bytes; at += kPage) {
    const auto page = data.subspan(hole.offset + at, std::min<std::uint64_t>(kPage, hole.bytes - at));
    if (hole.bytes >= kUntouched && is_zero(page)) continue;
    contents.add(hole.offset + at, std::vector<std::byte>(page.size(), kNobodyReads));
  }
}

cppc_status add(const cppc_block* block, void* context) {
  auto& state = *static_cast<StateBytes*>(context);
  state.writer.u32(block->section);
  state.writer.text(block->name);
  state.writer.u64(block->bytes);
  Contents contents;
  if (block->data != nullptr) {
    const std::span data(static_cast<const std::byte*>(block->data), block->bytes);
    std::uint64_t from = 0;
    for (const cppc_part& hole : std::span(block->holes, block->hole_count)) {
      contents.add(from, data.subspan(from, hole.offset - from));
      add_hole(contents, data, hole);
      from = hole.offset + hole.bytes;
    }
    contents.add(from, data.subspan(from));
  }
  state.writer.u64(contents.parts);
  state.writer.block(contents.writer.bytes());
  ++state.objects;
  state.data += block->bytes;
  return CPPC_OK;
}

cppc_status restore_object(const cppc_runtime& runtime, ByteReader& reader) {
  const auto section = static_cast<cppc_section>(reader.u32());
  const std::string name(reader.text());
  const std::uint64_t bytes = reader.u64();
  const std::uint64_t parts = reader.u64();
  ByteReader contents(reader.block());
  if (!reader.ok()) return CPPC_ERR_IMAGE;
  if (section == CPPC_SECTION_RUNTIME) {
    contents.u64();
    const auto block = contents.block();
    return runtime.restore_begin(block.data(), block.size(), nullptr, nullptr);
  }
  void* place = nullptr;
  const cppc_status status = runtime.restore_place(section, name.c_str(), bytes, &place);
  if (status != CPPC_OK || place == nullptr) return status;
  for (std::uint64_t i = 0; i < parts; ++i) {
    const std::uint64_t offset = contents.u64();
    const auto part = contents.block();
    if (!contents.ok() || offset > bytes || part.size() > bytes - offset) return CPPC_ERR_IMAGE;
    std::ranges::copy(part, static_cast<std::byte*>(place) + offset);
  }
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
