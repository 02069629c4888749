/// What nobody will read any more, as the program says at one safe point, when its state is kept by address: which
/// bytes these are. Objects are blocks of the heap, and those that the program tells of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cppc/hooks.h"

namespace cppc::address {

class DeadClaims {
 public:
  /// These bytes are one object.
  void add_object(std::span<const std::byte> object) { objects_.push_back(object); }

  /// The block of the heap that starts here, if there is one.
  void add_block(const void* address);

  /// Memory within one object, that in which `within` lies when that is given, unless one of `others` lies in that
  /// object, or right behind it. With any of these, it must be an object that is known, else all of it is carried.
  void add_range(std::span<const std::byte> memory, std::span<const void* const> others,
                 std::optional<const void*> within);

  /// The program may go on in several ways: ranges that are added from here on, of memory without such conditions, are
  /// dead on the next of them.
  void begin_way();
  /// That was the last one: what was added on each of them is dead.
  void end_ways();

  /// Bytes that need not be carried, `free` among them, by rising address and apart from each other. While the program
  /// stands still.
  [[nodiscard]] std::vector<std::span<const std::byte>> settle(std::vector<std::span<const std::byte>> free) const;

  void clear();

 private:
  struct Claim {
    std::span<const std::byte> memory;
    std::vector<const void*> others;
    std::optional<const void*> within;
  };
  [[nodiscard]] std::span<const std::byte> object_at(const void* address) const;
  [[nodiscard]] std::span<const std::byte> true_part(const Claim& claim) const;

  std::vector<std::span<const std::byte>> objects_;
  std::vector<Claim> claims_;
  bool on_a_way_ = false;
  std::vector<std::span<const std::byte>> way_;                    ///< of the one at hand
  std::optional<std::vector<std::span<const std::byte>>> common_;  ///< to those before, apart and rising
};

/// Fewer bytes in a row are not worth an entry in an image.
inline constexpr std::size_t kLeastDeadPart = 128;

/// Those parts of `memory` that are in `dead`, as settle() gives it, and large enough to be worth an entry in an image.
std::vector<cppc_part> dead_parts(std::span<const std::byte> memory, std::span<const std::span<const std::byte>> dead);

/// What is left of `bytes` bytes between these parts, which are apart and rising.
std::vector<cppc_part> parts_between(std::span<const cppc_part> parts, std::uint64_t bytes);

}  // namespace cppc::address
