/// Memory for a child process that has been forked from one with several threads: any of those may have held the locks
/// of the C library's heap. What the child makes there can be read by its parent, at the same addresses.
#pragma once

#include <cstddef>
#include <span>
#include <tl/expected.hpp>
#include <utility>

#include "cppc/status.h"

namespace cppc::address {

class ChildMemory {
 public:
  /// Takes addresses; memory is taken when it is written to. CPPC_ERR_MEMORY, not logged.
  static tl::expected<ChildMemory, cppc_status> reserve(std::size_t bytes);
  ChildMemory(ChildMemory&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  ChildMemory& operator=(ChildMemory&&) = delete;
  ~ChildMemory();

  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }

  /// In the child: from here on malloc() and its kin take all memory from there, behind the first bytes. What is freed
  /// is lost, but for the last block.
  void use(std::size_t first) const;

 private:
  explicit ChildMemory(std::span<std::byte> bytes) : bytes_(bytes) {}
  std::span<std::byte> bytes_;
};

/// For malloc() and its kin.
namespace child_memory {

/// Whether this process is such a child.
extern constinit bool in_use;

/// Null: there is no more. Aligned to a power of two.
void* allocate(std::size_t alignment, std::size_t bytes) noexcept;
/// Of any block. One of the parent's is left alone, and its contents are not taken along: nobody needs that.
void* resize(void* block, std::size_t bytes) noexcept;
/// Any block.
void release(void* block) noexcept;

}  // namespace child_memory

}  // namespace cppc::address
