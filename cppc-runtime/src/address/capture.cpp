#include "address/capture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "address/carried_objects.hpp"
#include "address/large_memory.hpp"
#include "address/load_addresses.hpp"
#include "address/process/libraries.hpp"
#include "address/process/mappings.hpp"
#include "address/process/owner.hpp"
#include "address/process/process_state.hpp"
#include "address/program_stack.hpp"
#include "address/region_heap.hpp"
#include "address/shared_blocks.hpp"
#include "handles.hpp"
#include "log.hpp"
#include "runtime_block.hpp"

namespace cppc::address {

namespace {

/// A heap may have millions of free blocks that are smaller.
constexpr std::size_t kLeastFreePart = 512;

std::string place_of(std::span<const std::byte> memory) {
  return fmt::format("{:x}", reinterpret_cast<std::uintptr_t>(memory.data()));
}

class Collector {
 public:
  Collector(const DeadClaims& dead, std::span<const CarriedObject> objects)
      : untouched_(large_memory(objects).untouched) {
    std::vector<std::span<const std::byte>> free = RegionHeap::free_parts(kLeastFreePart);
    free.insert(free.end(), untouched_.begin(), untouched_.end());
    for (const SharedBlock& block : SharedBlocks::all()) {
      const OthersParts others = others_of(block);
      for (const auto part : {others.before, others.after})
        if (!part.empty()) free.push_back(part);
    }
    dead_ = dead.settle(std::move(free));
  }

  void add(cppc_section section, std::string name, std::span<std::byte> memory) {
    if (memory.empty()) return;
    pieces_.push_back({.section = section,
                       .name = std::move(name),
                       .memory = memory,
                       .holes = dead_parts(memory, dead_),
                       .zero = {}});
    // Unlike the heap's, variables may have been written to by a replacement's constructors.
    if (section == CPPC_SECTION_GLOBAL) pieces_.back().zero = dead_parts(memory, untouched_);
  }

  cppc_status add_all(std::span<const CarriedObject> objects, std::byte* stack_end) {
    for (const CarriedObject& object : objects) {
      const std::string owner = object.name.empty() ? "program" : object.name;
      for (const auto memory : object.data) add(CPPC_SECTION_GLOBAL, owner + "/" + place_of(memory), memory);
    }
    const auto stack = program_stack::used(stack_end);
    add(CPPC_SECTION_STACK, place_of(stack), stack);
    RegionHeap::visit_live([this](std::span<std::byte> memory) { add(CPPC_SECTION_HEAP, place_of(memory), memory); });
    return mappings::visit(
        [this](std::span<std::byte> memory) { add(CPPC_SECTION_MAPPING, place_of(memory), memory); });
  }

  std::vector<Piece> take() && { return std::move(pieces_); }

 private:
  std::vector<std::span<const std::byte>> untouched_;  ///< by rising address
  std::vector<std::span<const std::byte>> dead_;
  std::vector<Piece> pieces_;
};

std::vector<ThreadData> thread_data_of(std::span<const CarriedObject> objects) {
  std::vector<ThreadData> all;
  for (std::uint32_t i = 0; i < objects.size(); ++i) {
    const auto bytes = objects[i].thread_data;
    if (!bytes.empty()) all.push_back({i, {bytes.begin(), bytes.end()}});
  }
  return all;
}

}  // namespace

tl::expected<Capture, cppc_status> Capture::take(std::uint64_t passed, unsigned site, const DeadClaims& dead,
                                                 std::byte* stack_end) {
  auto capture = describe(passed, site, dead, stack_end);
  if (!capture) return capture;
  if (const auto searched = capture->search(); !searched) {
    log().error("{}", searched.error());
    return tl::unexpected(CPPC_ERR_UNSUPPORTED);
  }
  return capture;
}

tl::expected<Capture, cppc_status> Capture::describe(std::uint64_t passed, unsigned site, const DeadClaims& dead,
                                                     std::byte* stack_end) {
  if (owner_of(stack_end) != Owner::program) {
    log().error("the safe point is on a stack at {}, which is not the program's memory", static_cast<void*>(stack_end));
    return tl::unexpected(CPPC_ERR_UNSUPPORTED);
  }
  Capture capture;
  Block& block = capture.block_;
  block.passed = passed;
  block.site = site;
  block.stack_end = reinterpret_cast<std::uintptr_t>(stack_end);
  block.stack_guard = program_stack::guard();
  block.stack_size = program_stack::size();
  // First what may still ask for memory of the program.
  ByteWriter process;
  if (const cppc_status status = process::write(process); status != CPPC_OK) return tl::unexpected(status);
  block.process = std::move(process).take();
  ByteWriter mpi;
  if (const cppc_status status = mpi_state::serialize(mpi); status != CPPC_OK) return tl::unexpected(status);
  block.mpi = std::move(mpi).take();

  ByteWriter opened;
  libraries::write(opened);
  block.opened = std::move(opened).take();

  capture.objects_ = carried_objects();
  RegionHeap::trim();
  Collector collector(dead, capture.objects_);
  if (const cppc_status status = collector.add_all(capture.objects_, stack_end); status != CPPC_OK)
    return tl::unexpected(status);
  block.pieces = std::move(collector).take();
  const auto memory = MemoryMap::read();
  if (!memory) return tl::unexpected(memory.error());
  block.protections = protections_of(*memory, block.pieces);
  auto readable = Readable::open(block.protections);
  if (!readable) return tl::unexpected(readable.error());
  capture.readable_ = *std::move(readable);
  block.heap_extent = RegionHeap::extent();
  block.carried = libraries_of(capture.objects_);
  block.thread_data = thread_data_of(capture.objects_);

  auto outward = OutwardWords::make(capture.objects_, stack_end);
  if (!outward) return tl::unexpected(outward.error());
  capture.outward_ = std::make_unique<OutwardWords>(*std::move(outward));
  if (const auto looked = capture.search_shared(); !looked) return tl::unexpected(looked.error());
  return capture;
}

/// Others may write to it when the program goes on, and before.
tl::expected<void, cppc_status> Capture::search_shared() {
  std::uint32_t number = 0;
  for (Piece& piece : block_.pieces) {
    piece.shared = outward_->shared(piece);
    if (piece.shared) {
      if (const auto looked = outward_->look(piece, number); !looked) {
        log().error("{}", looked.error());
        return tl::unexpected(CPPC_ERR_UNSUPPORTED);
      }
    }
    ++number;
  }
  return {};
}

/// Thread data is numbered behind the pieces.
tl::expected<void, std::string> Capture::search() {
  std::uint32_t number = 0;
  for (const Piece& piece : block_.pieces) {
    if (!piece.shared)
      if (auto looked = outward_->look(piece, number); !looked) return looked;
    ++number;
  }
  for (const CarriedObject& object : objects_) {
    if (object.thread_data.empty()) continue;
    const Piece piece{.section = CPPC_SECTION_THREAD,
                      .name = object.name.empty() ? "the program" : object.name,
                      .memory = object.thread_data,
                      .holes = {},
                      .zero = {}};
    if (auto looked = outward_->look(piece, number++); !looked) return looked;
  }
  block_.words = outward_->words();
  block_.libraries = outward_->libraries();
  bytes_ = write_block(block_);
  return {};
}

cppc_status Capture::visit(cppc_status (*visit)(const cppc_block* block, void* context), void* context) const {
  if (!bytes_.empty())
    if (const cppc_status status = visit_runtime_block(bytes_, visit, context); status != CPPC_OK) return status;
  for (const Piece& piece : block_.pieces) {
    const cppc_block block{.section = piece.section,
                           .name = piece.name.c_str(),
                           .type = &cppc_type_bytes,
                           .count = piece.memory.size(),
                           .bytes = piece.memory.size(),
                           .data = piece.memory.data(),
                           .holes = piece.holes.data(),
                           .hole_count = piece.holes.size(),
                           .address = reinterpret_cast<std::uintptr_t>(piece.memory.data()),
                           .shared = piece.shared ? 1 : 0};
    if (const cppc_status status = visit(&block, context); status != CPPC_OK) return status;
  }
  return CPPC_OK;
}

std::uint64_t Capture::bytes_of_pieces() const {
  std::uint64_t bytes = 0;
  for (const Piece& piece : block_.pieces) bytes += piece.memory.size();
  return bytes;
}

std::uint64_t state_bytes() {
  const auto objects = carried_objects();
  std::uint64_t bytes = RegionHeap::live_bytes();
  for (const CarriedObject& object : objects)
    for (const auto memory : object.data) bytes += memory.size();
  std::uint64_t elsewhere = large_memory(objects).untouched_bytes();
  for (const SharedBlock& block : SharedBlocks::all()) elsewhere += block.memory.size() - block.own.size();
  return bytes > elsewhere ? bytes - elsewhere : 0;
}

}  // namespace cppc::address
