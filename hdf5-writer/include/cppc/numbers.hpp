/// Numbers of another architecture, as this one has them. Enters HDF5, which one thread of a process may do at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tl/expected.hpp>

#include "cppc/image.hpp"
#include "cppc/status.h"

namespace cppc::image {

/// How a machine has numbers of a class: signed_integer, unsigned_integer or floating.
struct Numbers {
  Class cls = Class::bytes;
  std::size_t size = 0;  ///< bytes of each
  bool big_endian = false;
  std::uint32_t significand = 0;  ///< of floating: its bits, the leading one included: 24, 53, 64 or 113

  bool operator==(const Numbers&) const = default;
};

/// Gives `count` numbers, one behind the other at `source`, their form at `destination`; the last bits of a number of
/// higher precision are rounded. Returns how many it could: fewer when the next one is out of range. CPPC_ERR_ARGUMENT,
/// logged, when there is no such form.
tl::expected<std::uint64_t, cppc_status> convert(const Numbers& source_form, std::span<const std::byte> source,
                                                 const Numbers& form, std::span<std::byte> destination,
                                                 std::uint64_t count);

}  // namespace cppc::image
