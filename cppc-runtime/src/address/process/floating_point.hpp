/// How the processor counts: rounding, what is flushed to zero, which exceptions stop the program and which have been
/// raised; of SSE's and of the x87 unit's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "bytes.hpp"

namespace cppc::address {

struct FloatingPoint {
  std::uint32_t mxcsr;
  std::array<std::byte, 28> x87;  ///< as fnstenv has it

  /// Of this thread, which goes on as it was. Safe in signal handlers, as is set().
  static FloatingPoint now();
  void set() const;

  void write(ByteWriter& writer) const;
  static FloatingPoint read(ByteReader& reader);
};

}  // namespace cppc::address
