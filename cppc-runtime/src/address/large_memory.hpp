/// The program's large memory, and which of its pages nobody has touched since the system gave them: of a block that is
/// filled only in part, of an array that is larger than the problem. They are zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "address/carried_objects.hpp"

namespace cppc::address {

/// Less than this is not looked at.
inline constexpr std::size_t kLargeMemory = std::size_t{1} << 20;

/// Each by rising address.
struct LargeMemory {
  std::vector<std::span<const std::byte>> untouched;  ///< whole pages, some in a row
  std::vector<std::span<std::byte>> in_use;           ///< the rest

  [[nodiscard]] std::uint64_t untouched_bytes() const;
};

/// Of the heap, and the variables of these objects that are zero at first. Any time.
LargeMemory large_memory(std::span<const CarriedObject> objects);

}  // namespace cppc::address
