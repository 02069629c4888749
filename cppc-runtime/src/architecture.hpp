/// What an image depends on of the machine that wrote it.
#pragma once

#include <cstdint>
#include <string>

#include "bytes.hpp"

namespace cppc {

struct Architecture {
  std::string name;  ///< "x86-64"; with another one, compilers lay out structures in another way
  bool big_endian = false;
  std::uint32_t long_double_significand = 0;  ///< bits of it, the leading one included

  bool operator==(const Architecture&) const = default;

  /// This process's.
  static const Architecture& here();

  void write(ByteWriter& writer) const;
  static Architecture read(ByteReader& reader);
};

}  // namespace cppc
