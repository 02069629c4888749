#include "address/restore.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "address/carried_objects.hpp"
#include "address/load_addresses.hpp"
#include "address/outward_words.hpp"
#include "address/places.hpp"
#include "address/process/environment.hpp"
#include "address/process/held_locks.hpp"
#include "address/process/libraries.hpp"
#include "address/process/process_state.hpp"
#include "address/program_stack.hpp"
#include "address/protections.hpp"
#include "address/region_heap.hpp"
#include "address/startup_words.hpp"
#include "handles.hpp"
#include "log.hpp"
#include "pages.hpp"

namespace cppc::address {

namespace {

std::string called(const std::string& name) { return name.empty() ? "the program" : "the library " + name; }

/// In the places of the heap or of mappings.
bool is_programs(std::span<const std::byte> memory) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::uintptr_t end = begin + memory.size();
  return (begin >= kRoots && end <= kStack) || (begin >= kHeap && end <= kEnd);
}

/// Of the thread that runs main, which is this one.
std::span<std::byte> thread_data_here(const std::string& name) {
  for (const CarriedObject& object : carried_objects())
    if (object.name == name) return object.thread_data;
  return {};
}

}  // namespace

cppc_status Restore::begin(std::span<const std::byte> runtime_block) {
  if (!read_block(runtime_block, block_)) {
    log().error("the runtime's block of the image, {} bytes, is damaged or of another version", runtime_block.size());
    return CPPC_ERR_IMAGE;
  }
  ByteReader opened(block_.opened);
  if (const cppc_status status = libraries::open_again(opened); status != CPPC_OK) return status;
  if (const cppc_status status = compare_objects(); status != CPPC_OK) return status;
  if (const cppc_status status = compare_startup_words(); status != CPPC_OK) return status;
  ByteReader mpi(block_.mpi);
  if (const cppc_status status = mpi_state::restore(mpi); status != CPPC_OK) return status;
  ByteReader process(block_.process);
  if (const cppc_status status = process::prepare(process); status != CPPC_OK) return status;
  if (const auto reserved = RegionHeap::reserve_for_restore(block_.heap_extent); !reserved) return reserved.error();
  if (const cppc_status status = program_stack::grow(block_.stack_size); status != CPPC_OK) return status;
  placed_.resize(block_.pieces.size());
  if (const cppc_status status = check_places(); status != CPPC_OK) return status;
  clear_parts();
  return CPPC_OK;
}

/// What is carried has to lie where it lay; what it leads to must be there.
cppc_status Restore::compare_objects() const {
  if (const cppc_status status = compare_load_addresses(block_.carried); status != CPPC_OK) return status;
  for (const ThreadData& data : block_.thread_data) {
    if (thread_data_here(block_.carried[data.object].name).size() == data.bytes.size()) continue;
    log().error("{} has other thread-local variables than where the rank was",
                called(block_.carried[data.object].name));
    return CPPC_ERR_MISMATCH;
  }
  return CPPC_OK;
}

cppc_status Restore::compare_startup_words() const {
  for (const OutwardWord& word : block_.words) {
    if (word.library != from_startup) continue;
    if (word.piece < block_.pieces.size() && startup_word(address_of(word))) continue;
    log().error(
        "constructors of libraries have not had the same memory in this process as where the rank was: the "
        "nodes need the same libraries and settings");
    return CPPC_ERR_MISMATCH;
  }
  return CPPC_OK;
}

/// In a piece.
std::uintptr_t Restore::address_of(const OutwardWord& word) const {
  return reinterpret_cast<std::uintptr_t>(block_.pieces[word.piece].memory.data()) + word.offset;
}

/// An image says where it goes: nowhere else than into memory that is the program's.
cppc_status Restore::check_places() const {
  const auto objects = carried_objects();
  for (const Piece& piece : block_.pieces) {
    bool sound = is_programs(piece.memory);
    if (piece.section == CPPC_SECTION_STACK) sound = program_stack::holds(piece.memory);
    if (piece.section == CPPC_SECTION_GLOBAL)
      sound = std::ranges::any_of(objects, [&](const CarriedObject& object) {
        return std::ranges::any_of(object.data, [&](const auto memory) { return contains(memory, piece.memory); });
      });
    if (sound) continue;
    log().error("the image has {} bytes for {}, where this program has no memory of that kind", piece.memory.size(),
                static_cast<const void*>(piece.memory.data()));
    return CPPC_ERR_IMAGE;
  }
  return CPPC_OK;
}

void Restore::clear_parts() const {
  for (const Piece& piece : block_.pieces)
    for (const auto& [offset, bytes] : piece.zero) clear(piece.memory.subspan(offset, bytes));
}

cppc_status Restore::place(cppc_section section, std::string_view name, std::uint64_t bytes, void** place) {
  const auto is = [&](const Piece& piece) { return piece.section == section && piece.name == name; };
  if (next_ >= block_.pieces.size() || !is(block_.pieces[next_]))
    next_ = static_cast<std::size_t>(std::ranges::find_if(block_.pieces, is) - block_.pieces.begin());
  if (next_ == block_.pieces.size() || placed_[next_] || block_.pieces[next_].memory.size() != bytes) {
    log().error(
        "the image holds an object {} of {} bytes, section {}, that its runtime block does not name so, or twice", name,
        bytes, static_cast<int>(section));
    return CPPC_ERR_IMAGE;
  }
  placed_[next_] = true;
  *place = block_.pieces[next_++].memory.data();
  return CPPC_OK;
}

cppc_status Restore::end() {
  const auto missing = std::ranges::find(placed_, false);
  if (missing != placed_.end()) {
    log().error("{} is missing in the image", block_.pieces[static_cast<std::size_t>(missing - placed_.begin())].name);
    return CPPC_ERR_IMAGE;
  }
  const auto libraries = libraries_here(block_.libraries);
  if (!libraries) {
    log().error("{}", libraries.error());
    return CPPC_ERR_MISMATCH;
  }
  if (const auto restored = RegionHeap::after_restore(); !restored) return restored.error();
  write_words(*libraries);
  if (const cppc_status status = libraries::complete(); status != CPPC_OK) return status;
  if (const cppc_status status = process::complete(); status != CPPC_OK) return status;
  if (const cppc_status status = protect(block_.protections); status != CPPC_OK) return status;
  complete_ = true;
  return CPPC_OK;
}

std::uintptr_t Restore::value_here(const OutwardWord& word, std::span<const LibraryHere> libraries) const {
  if (word.library == from_startup) return startup_word(address_of(word)).value();
  if (word.library == owner_of_lock) return word.target | static_cast<std::uint32_t>(gettid());
  if (word.library == environment_array) return environment::address_in_next_array(word.target);
  if (is_record(word)) return libraries[word.library - record_of].record;
  return (word.library == own_thread ? thread_register() : libraries[word.library].base) + word.target;
}

/// Where libraries lie elsewhere, what led to them leads to where they are.
void Restore::write_words(std::span<const LibraryHere> libraries) {
  std::set<std::uintptr_t> records;
  for (const OutwardWord& word : block_.words) {
    const std::uintptr_t value = value_here(word, libraries);
    const bool in_piece = word.piece < block_.pieces.size();
    ThreadData* const data = in_piece ? nullptr : &block_.thread_data[word.piece - block_.pieces.size()];
    std::byte* const memory = in_piece ? block_.pieces[word.piece].memory.data() : data->bytes.data();
    std::memcpy(memory + word.offset, &value, sizeof value);
    if (is_record(word)) records.insert(value);
    if (word.library != owner_of_lock) continue;
    const std::byte* const place = in_piece ? memory : thread_data_here(block_.carried[data->object].name).data();
    held_locks::take_over(place + word.offset);
  }
  for (const std::uintptr_t record : records) libraries::is_handle(record);
}

int Restore::go_on() {
  for (const ThreadData& data : block_.thread_data)
    std::memcpy(thread_data_here(block_.carried[data.object].name).data(), data.bytes.data(), data.bytes.size());
  auto* const stack_end = reinterpret_cast<std::byte*>(block_.stack_end);
  const std::uint64_t guard = block_.stack_guard;
  block_ = {};
  process::apply();
  program_stack::has_stopped(stack_end);
  process::release();
  return program_stack::go_on(stack_end, guard);
}

}  // namespace cppc::address
