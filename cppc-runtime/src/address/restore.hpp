/// A replacement takes over a state that is kept by address: memory at the places where it was, then everything that a
/// process has besides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "address/outward_words.hpp"
#include "address/pieces.hpp"

namespace cppc::address {

class Restore {
 public:
  /// As cppc_runtime::restore_begin, restore_place and restore_end. Errors are logged by name; then this process ends,
  /// and the rank goes on where it was.
  cppc_status begin(std::span<const std::byte> runtime_block);
  cppc_status place(cppc_section section, std::string_view name, std::uint64_t bytes, void** place);
  cppc_status end();

  /// Whether end() has succeeded.
  [[nodiscard]] bool complete() const { return complete_; }

  [[nodiscard]] const Block& block() const { return block_; }

  /// The last act of a replacement, which is in its world: goes on where the program had stopped. What main() returns
  /// in the end.
  int go_on();

 private:
  cppc_status compare_objects() const;
  cppc_status compare_startup_words() const;
  cppc_status check_places() const;
  void clear_parts() const;
  [[nodiscard]] std::uintptr_t address_of(const OutwardWord& word) const;
  [[nodiscard]] std::uintptr_t value_here(const OutwardWord& word, std::span<const LibraryHere> libraries) const;
  void write_words(std::span<const LibraryHere> libraries);

  Block block_;
  std::vector<bool> placed_;
  std::size_t next_ = 0;
  bool complete_ = false;
};

}  // namespace cppc::address
