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
  std::vector<std::byte> random;          ///< as for setstate()
  std::array<unsigned short, 7> drand48;  ///< as for lcong48()

  /// Of this process, which goes on with the same numbers. CPPC_ERR_UNSUPPORTED, logged, when the program has given
  /// random() memory of its own.
  static tl::expected<RandomState, cppc_status> present();

  void apply() const;

  void write(ByteWriter& writer) const;

  /// Fails the reader when it is none.
  static RandomState read(ByteReader& reader);
};

}  // namespace cppc::c_library
