/// Blocks of the program's heap that show memory which other processes write to as well, such as that of windows of
/// ranks on one node. Whether this process has touched a page of them says nothing about what is in it. Only the main
/// thread asks and changes.
#pragma once

#include <cstddef>
#include <span>

namespace cppc::address {

struct SharedBlock {
  std::span<std::byte> memory;  ///< all of it
  std::span<std::byte> own;     ///< what this rank carries; the rest is others'
};

class SharedBlocks {
 public:
  /// In place of what is known of a block with the same memory.
  static void add(const SharedBlock& block);
  static void remove(const void* memory);

  /// Null when there is none of which this is the first byte.
  static const SharedBlock* find(const void* memory);
  /// By rising address.
  static std::span<const SharedBlock> all();
};

/// What others carry of it.
struct OthersParts {
  std::span<std::byte> before, after;
};
OthersParts others_of(const SharedBlock& block);

}  // namespace cppc::address
