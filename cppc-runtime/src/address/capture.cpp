#include "address/capture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "address/carried_objects.hpp"
#include "address/load_addresses.hpp"
#include "address/outward_words.hpp"
#include "address/process/mappings.hpp"
#include "address/process/owner.hpp"
#include "address/process/process_state.hpp"
#include "address/program_stack.hpp"
#include "address/region_heap.hpp"
#include "handles.hpp"
#include "log.hpp"

namespace cppc::address {

namespace {

std::string place_of(std::span<const std::byte> memory) {
  return fmt::format("{:x}", reinterpret_cast<std::uintptr_t>(memory.data()));
}

class Collector {
 public:
  explicit Collector(const DeadClaims& dead) : dead_(dead.settle()) {}

  void add(cppc_section section, std::string name, std::span<std::byte> memory) {
    if (memory.empty()) return;
    pieces_.push_back(
        {.section = section, .name = std::move(name), .memory = memory, .holes = dead_parts(memory, dead_)});
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

/// Thread data is numbered behind the pieces.
cppc_status check(std::span<const CarriedObject> objects, Block& block) {
  auto outward = OutwardWords::make(objects, reinterpret_cast<const std::byte*>(block.stack_end));
  if (!outward) return outward.error();
  std::uint32_t number = 0;
  for (Piece& piece : block.pieces) {
    piece.shared = outward->shared(piece);
    if (const cppc_status status = outward->look(piece, number++); status != CPPC_OK) return status;
  }
  for (const CarriedObject& object : objects) {
    if (object.thread_data.empty()) continue;
    const Piece piece{.section = CPPC_SECTION_THREAD,
                      .name = object.name.empty() ? "the program" : object.name,
                      .memory = object.thread_data,
                      .holes = {}};
    if (const cppc_status status = outward->look(piece, number++); status != CPPC_OK) return status;
  }
  block.words = outward->words();
  block.libraries = outward->libraries();
  return CPPC_OK;
}

}  // namespace

tl::expected<Capture, cppc_status> Capture::take(std::uint64_t passed, unsigned site, const DeadClaims& dead,
                                                 std::byte* stack_end) {
  if (owner_of(stack_end) != Owner::program) {
    log().error("the safe point is on a stack at {}, which is not the program's memory", static_cast<void*>(stack_end));
    return tl::unexpected(CPPC_ERR_UNSUPPORTED);
  }
  Block block{.passed = passed,
              .site = site,
              .stack_end = reinterpret_cast<std::uintptr_t>(stack_end),
              .stack_guard = program_stack::guard()};
  // First what may still ask for memory of the program.
  ByteWriter process;
  if (const cppc_status status = process::write(process); status != CPPC_OK) return tl::unexpected(status);
  block.process = std::move(process).take();
  ByteWriter mpi;
  if (const cppc_status status = mpi_state::serialize(mpi); status != CPPC_OK) return tl::unexpected(status);
  block.mpi = std::move(mpi).take();

  const auto objects = carried_objects();
  Collector collector(dead);
  if (const cppc_status status = collector.add_all(objects, stack_end); status != CPPC_OK)
    return tl::unexpected(status);
  block.pieces = std::move(collector).take();
  block.heap_extent = RegionHeap::extent();
  block.carried = libraries_of(objects);
  block.thread_data = thread_data_of(objects);
  if (const cppc_status status = check(objects, block); status != CPPC_OK) return tl::unexpected(status);
  Capture capture;
  capture.block_ = write_block(block);
  capture.pieces_ = std::move(block.pieces);
  return capture;
}

cppc_status Capture::visit(cppc_status (*visit)(const cppc_block* block, void* context), void* context) const {
  const cppc_block runtime{.section = CPPC_SECTION_RUNTIME,
                           .name = "runtime",
                           .type = &cppc_type_bytes,
                           .count = block_.size(),
                           .bytes = block_.size(),
                           .data = block_.data(),
                           .stored_form = 1};
  if (const cppc_status status = visit(&runtime, context); status != CPPC_OK) return status;
  for (const Piece& piece : pieces_) {
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

std::uint64_t state_bytes() {
  std::uint64_t bytes = RegionHeap::live_bytes();
  for (const CarriedObject& object : carried_objects())
    for (const auto memory : object.data) bytes += memory.size();
  return bytes;
}

}  // namespace cppc::address
