#include "capture.hpp"

#include <cstring>
#include <utility>

#include "bytes.hpp"
#include "handles.hpp"
#include "heap.hpp"
#include "references.hpp"
#include "runtime_block.hpp"

namespace cppc {

namespace {

cppc_block block_of(const Object& object, const std::byte* copy) {
  const std::byte* data = copy != nullptr ? copy : object.address;
  return {.section = object.section,
          .name = object.name.c_str(),
          .type = stored_layout(*object.layout).type,
          .count = object.count,
          .bytes = object.stored_bytes(),
          .data = object.dead ? nullptr : data,
          .holes = object.holes.data(),
          .hole_count = object.holes.size(),
          .stored_form = copy != nullptr ? 1 : 0,
          .shared = copy == nullptr && object.shared ? 1 : 0};
}

/// Memory for the stored form of an object, with its contents but for references: of a shadow, and where that form is
/// another one, only the members.
std::byte* copy_of(const Object& object, std::pmr::memory_resource& memory) {
  const Layout& stored = stored_layout(*object.layout);
  auto* const copy = static_cast<std::byte*>(memory.allocate(object.stored_bytes()));
  if (&stored == object.layout && !object.shadow) {
    std::memcpy(copy, object.address, object.bytes());
    return copy;
  }
  std::memset(copy, 0, object.stored_bytes());
  const auto copy_scalars = [&](const Layout& own, const Layout&, std::uint64_t from, std::uint64_t to,
                                std::uint64_t count) {
    if (!own.references) std::memcpy(copy + to, object.address + from, count * own.type->size);
    return true;
  };
  each_pair(*object.layout, stored, 0, 0, object.count, copy_scalars);
  return copy;
}

}  // namespace

tl::expected<Capture, cppc_status> Capture::take(std::uint64_t passed, unsigned site, const DeadMemory& dead,
                                                 const void* stack) {
  auto inventory = take_inventory(dead);
  if (!inventory) return tl::unexpected(inventory.error());
  Capture capture;
  capture.inventory_ = std::move(*inventory);
  const auto& functions = registry().functions;
  auto outside = OutsideEncoder::make(stack);
  if (!outside) return tl::unexpected(outside.error());
  if (const cppc_status status = capture.encode(functions, *outside); status != CPPC_OK) return tl::unexpected(status);

  // After the handles: encoding them may add to the MPI part.
  ByteWriter mpi;
  if (const cppc_status status = mpi_state::serialize(mpi); status != CPPC_OK) return tl::unexpected(status);
  RuntimeBlock block{.passed = passed,
                     .site = site,
                     .next_heap_number = heap().next_number(),
                     .functions = {},
                     .modules = outside->modules(),
                     .words = outside->words(),
                     .constants = outside->constants(),
                     .calls = required_calls().stored(),
                     .inventory = std::move(capture.inventory_),
                     .mpi = std::move(mpi).take()};
  for (const cppc_function& function : functions) block.functions.emplace_back(function.name);
  capture.runtime_block_ = write_runtime_block(block);
  capture.inventory_ = std::move(block.inventory);
  return capture;
}

cppc_status Capture::encode(std::span<const cppc_function> functions, OutsideEncoder& outside) {
  auto& objects = inventory_.objects;
  const auto index = AddressIndex::make(objects);
  if (!index) return index.error();
  const ReferenceEncoder encoder(objects, *index, functions, outside);
  memory_ = std::make_unique<std::pmr::monotonic_buffer_resource>();
  copies_.resize(objects.size());
  for (std::size_t i = 0; i < objects.size(); ++i) {
    Object& object = objects[i];
    if (object.dead || object.bytes() == 0) continue;
    object.shared = outside.memory().shared({object.address, static_cast<std::size_t>(object.bytes())});
    if (object.section != CPPC_SECTION_FRAME)  // where a local has had no value yet, there are old ones
      if (const cppc_status status = encoder.check_numbers(object); status != CPPC_OK) return status;
    if (!object.layout->references && !object.shadow) continue;
    copies_[i] = copy_of(object, *memory_);
    if (!object.layout->references) continue;
    if (const cppc_status status = encoder.encode(object, copies_[i]); status != CPPC_OK) return status;
  }
  return CPPC_OK;
}

cppc_status Capture::visit(cppc_status (*visit)(const cppc_block* block, void* context), void* context) const {
  if (const cppc_status status = visit_runtime_block(runtime_block_, visit, context); status != CPPC_OK) return status;
  for (std::size_t i = 0; i < inventory_.objects.size(); ++i) {
    const cppc_block block = block_of(inventory_.objects[i], copies_[i]);
    if (const cppc_status status = visit(&block, context); status != CPPC_OK) return status;
  }
  return CPPC_OK;
}

}  // namespace cppc
