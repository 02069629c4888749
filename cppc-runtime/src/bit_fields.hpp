/// Bit-fields of a structure that follow each other, as bytes. Compilers count their bits from the lowest one of the
/// first byte where numbers begin with their lowest byte, else from its highest one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "cppc/cppc.h"

namespace cppc {

struct BitField {
  std::uint64_t begin = 0;  ///< counted from the first byte on
  std::uint64_t width = 0;
};

/// Those that the name of a type of CPPC_BYTES tells: "bits 0:12 12:4", where they begin and how wide they are. Nothing
/// for other types.
std::optional<std::vector<BitField>> bit_fields_of(const cppc_type& type);

/// Gives the bytes at `to` the order of bytes of this machine; `from` has the other one.
void swap_bit_fields(const std::vector<BitField>& fields, const std::byte* from, std::byte* to, std::size_t bytes);

}  // namespace cppc
