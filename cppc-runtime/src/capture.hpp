/// The state of this process at one moment, in the form that an image holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <tl/expected.hpp>
#include <vector>

#include "inventory.hpp"
#include "outside.hpp"

namespace cppc {

class Capture {
 public:
  /// Of memory, for each block of the heap, here or in a replacement while it restores the image: measured by bench/run
  /// ship, for blocks of 48 bytes with a pointer.
  static constexpr std::uint64_t bytes_of_a_block = 700;

  /// Objects that are `dead` go without their contents. The program's part of the stack ends at `stack`.
  /// CPPC_ERR_UNSUPPORTED, logged by name, when something cannot be carried over.
  static tl::expected<Capture, cppc_status> take(std::uint64_t passed, unsigned site, const DeadMemory& dead,
                                                 const void* stack);

  /// As cppc_runtime::capture: valid while neither the program goes on nor this object is destroyed.
  cppc_status visit(cppc_status (*visit)(const cppc_block* block, void* context), void* context) const;

 private:
  cppc_status encode(std::span<const cppc_function> functions, OutsideEncoder& outside);

  Inventory inventory_;
  std::unique_ptr<std::pmr::monotonic_buffer_resource> memory_;  ///< of copies_
  std::vector<std::byte*> copies_;  ///< by object: its stored form, or null when it has no other
  std::vector<std::byte> runtime_block_;
};

}  // namespace cppc
