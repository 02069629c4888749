#include "address/pieces.hpp"

#include <algorithm>

#include "pages.hpp"

namespace cppc::address {

namespace {

constexpr std::uint64_t magic = 0x5353455244444143;  // "CADDRESS"
constexpr std::uint32_t version = 10;

void write(ByteWriter& writer, const std::vector<Piece>& pieces) {
  writer.u64(pieces.size());
  for (const Piece& piece : pieces) {
    writer.u8(static_cast<std::uint8_t>(piece.section));
    writer.text(piece.name);
    writer.u64(reinterpret_cast<std::uintptr_t>(piece.memory.data()));
    writer.u64(piece.memory.size());
    writer.u64(piece.zero.size());
    for (const auto& [offset, bytes] : piece.zero) {
      writer.u64(offset);
      writer.u64(bytes);
    }
  }
}

/// Of a piece of `size` bytes.
std::vector<cppc_part> read_parts(ByteReader& reader, std::uint64_t size) {
  std::vector<cppc_part> parts;
  for (std::uint64_t left = reader.count(2 * sizeof(std::uint64_t)); left > 0 && reader.ok(); --left) {
    const std::uint64_t offset = reader.u64(), bytes = reader.u64();
    if (offset > size || bytes > size - offset) reader.fail();
    parts.push_back({offset, bytes});
  }
  return parts;
}

void read(ByteReader& reader, std::vector<Piece>& pieces) {
  const std::uint64_t count = reader.count(1 + 4 * sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i < count && reader.ok(); ++i) {
    const auto section = static_cast<cppc_section>(reader.u8());
    const auto name = reader.text();
    const std::uint64_t place = reader.u64();
    const std::uint64_t bytes = reader.u64();
    if (section == CPPC_SECTION_RUNTIME || section > CPPC_SECTION_MAPPING || place + bytes < place)
      return reader.fail();
    pieces.push_back({.section = section,
                      .name = std::string(name),
                      .memory = {reinterpret_cast<std::byte*>(place), bytes},
                      .holes = {},
                      .zero = read_parts(reader, bytes)});
  }
}

/// Each in the pages of a piece.
void read(ByteReader& reader, std::span<const Piece> pieces, std::vector<Protection>& protections) {
  const std::uint64_t count = reader.count(2 * sizeof(std::uint64_t) + sizeof(std::int32_t));
  for (std::uint64_t i = 0; i < count && reader.ok(); ++i) {
    const std::uint64_t begin = reader.u64(), bytes = reader.u64();
    const bool sound = std::ranges::any_of(pieces, [&](const Piece& piece) {
      const auto [first, behind] = pages_of(piece.memory);
      return begin >= first && begin <= behind && bytes <= behind - begin;
    });
    if (!sound) reader.fail();
    protections.push_back({begin, bytes, reader.i32()});
  }
}

std::uint64_t bytes_of(const Block& block, std::uint32_t piece) {
  if (piece < block.pieces.size()) return block.pieces[piece].memory.size();
  const std::size_t thread_data = piece - block.pieces.size();
  return thread_data < block.thread_data.size() ? block.thread_data[thread_data].bytes.size() : 0;
}

bool sound(const Block& block, const OutwardWord& word) {
  const std::uint64_t bytes = bytes_of(block, word.piece);
  return bytes >= sizeof(std::uint64_t) && word.offset <= bytes - sizeof(std::uint64_t) &&
         (word.library == own_thread || word.library == from_startup || word.library == owner_of_lock ||
          word.library == environment_array ||
          (is_record(word) ? word.library - record_of : word.library) < block.libraries.size());
}

}  // namespace

void write(ByteWriter& writer, std::span<const Library> libraries) {
  writer.u64(libraries.size());
  for (const Library& library : libraries) {
    writer.text(library.name);
    writer.text(library.identity);
    writer.u64(library.base);
  }
}

void read(ByteReader& reader, std::vector<Library>& libraries) {
  const std::uint64_t count = reader.count(3 * sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto name = reader.text();
    const auto identity = reader.text();
    libraries.push_back({std::string(name), std::string(identity), reader.u64()});
  }
}

std::vector<std::byte> write_block(const Block& block) {
  ByteWriter writer;
  writer.u64(magic);
  writer.u32(version);
  writer.u64(block.passed);
  writer.u32(block.site);
  writer.u64(block.stack_end);
  writer.u64(block.stack_guard);
  writer.u64(block.stack_size);
  writer.u64(block.heap_extent);
  writer.block(block.opened);
  write(writer, block.carried);
  write(writer, block.pieces);
  writer.u64(block.thread_data.size());
  for (const ThreadData& data : block.thread_data) {
    writer.u32(data.object);
    writer.block(data.bytes);
  }
  write(writer, block.libraries);
  writer.u64(block.words.size());
  for (const OutwardWord& word : block.words) {
    writer.u32(word.piece);
    writer.u32(word.library);
    writer.u64(word.offset);
    writer.u64(word.target);
  }
  writer.u64(block.protections.size());
  for (const Protection& one : block.protections) {
    writer.u64(one.begin);
    writer.u64(one.bytes);
    writer.i32(one.allowed);
  }
  writer.block(block.process);
  writer.block(block.mpi);
  return std::move(writer).take();
}

bool read_block(std::span<const std::byte> bytes, Block& block) {
  ByteReader reader(bytes);
  if (reader.u64() != magic || reader.u32() != version) return false;
  block.passed = reader.u64();
  block.site = reader.u32();
  block.stack_end = reader.u64();
  block.stack_guard = reader.u64();
  block.stack_size = reader.u64();
  block.heap_extent = reader.u64();
  const auto opened = reader.block();
  block.opened.assign(opened.begin(), opened.end());
  read(reader, block.carried);
  read(reader, block.pieces);
  const std::uint64_t threads = reader.count(sizeof(std::uint32_t) + sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i < threads; ++i) {
    const std::uint32_t object = reader.u32();
    const auto data = reader.block();
    if (object >= block.carried.size()) return false;
    block.thread_data.push_back({object, {data.begin(), data.end()}});
  }
  read(reader, block.libraries);
  const std::uint64_t words = reader.count(2 * sizeof(std::uint32_t) + 2 * sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i < words; ++i) {
    const std::uint32_t piece = reader.u32(), library = reader.u32();
    const std::uint64_t offset = reader.u64();
    block.words.push_back({piece, library, offset, reader.u64()});
    if (!sound(block, block.words.back())) return false;
  }
  read(reader, block.pieces, block.protections);
  const auto process = reader.block();
  block.process.assign(process.begin(), process.end());
  const auto mpi = reader.block();
  block.mpi.assign(mpi.begin(), mpi.end());
  return reader.at_end();
}

}  // namespace cppc::address
