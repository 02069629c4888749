/// The state of the C library's random numbers: of rand() and random(), which share one, and of drand48() and its kin.
#pragma once

#include <array>
#include <cstddef>
#include <tl/expected.hpp>
#include <vector>

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::c_library {

struct RandomState {
  std::vector<std::byte> random;          ///< as for setstate(); empty with `memory`
  std::uint64_t memory;                   ///< of a program whose state is kept by address: where random()'s lies in it
  std::array<unsigned short, 7> drand48;  ///< as for lcong48()

  /// Of this process, which goes on with the same numbers. CPPC_ERR_UNSUPPORTED, logged, when the program has given
  /// random() memory of its own, which is not carried by address.
  static tl::expected<RandomState, cppc_status> present();

  /// With `memory`, what lies there has to be in place.
  void apply() const;

  void write(ByteWriter& writer) const;

  /// Fails the reader when it is none.
  static RandomState read(ByteReader& reader);
};

/// In a process whose state is kept by address, before the program starts: random() works in the program's memory from
/// now on, with the numbers that a process begins with.
void start_random_in_program();

}  // namespace cppc::c_library
