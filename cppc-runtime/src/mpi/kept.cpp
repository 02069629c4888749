#include "mpi/kept.hpp"

#include <cstdlib>

#include "address/program_time.hpp"
#include "layout.hpp"
#include "log.hpp"

namespace cppc::mpi {

void* allocate_carried(const cppc_type& type, std::size_t bytes) noexcept {
  if (!address::kept_by_address()) return heap().allocate(&type, 0, bytes, false);
  const address::InsideProgram program;
  return std::malloc(bytes);
}

void release_carried(void* block) noexcept {
  if (!address::kept_by_address()) return heap().release(block);
  const address::InsideProgram program;
  std::free(block);
}

void cannot_keep() { die(CPPC_ERR_MEMORY, "no memory to remember what MPI was given"); }

BlockNumbers::BlockNumbers() {
  if (address::kept_by_address()) return;
  for (const Heap::Entry& entry : heap().blocks()) {
    numbers_.emplace(entry.address, entry.block.number);
    entries_.emplace(entry.block.number, entry);
  }
}

std::uint64_t BlockNumbers::of(const void* block) const {
  return address::kept_by_address() ? reinterpret_cast<std::uintptr_t>(block) : numbers_.at(block);
}

void* BlockNumbers::find(std::uint64_t number, const cppc_type& type, std::size_t bytes) const {
  if (address::kept_by_address()) return reinterpret_cast<void*>(number);
  const auto found = entries_.find(number);
  if (found != entries_.end() && found->second.block.bytes == bytes &&
      same_structure(layout_of(found->second.block.type), layout_of(&type))) {
    return found->second.address;
  }
  log().error("heap/{} in the image is no {}", number, type.name);
  return nullptr;
}

}  // namespace cppc::mpi
