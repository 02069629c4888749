/// stdin, stdout and stderr, which lie in the C library's own data: carried field by field. Part of streams.cpp.
#pragma once

#include <array>
#include <cstdio>

#include "address/process/stream_layout.hpp"
#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::address::streams {

/// How the C library converts wide characters in the locale of now: a stream keeps what it was when it became wide.
class Conversions {
 public:
  Conversions();
  [[nodiscard]] bool are_of(const FILE* stream) const;
  void give_to(FILE* stream) const;

 private:
  __gconv_step* in_ = nullptr;
  __gconv_step* out_ = nullptr;
};

/// In the order of their descriptors.
std::array<FILE*, 3> standard_streams();

cppc_status write_standard_streams(ByteWriter& out, const Conversions& conversions);
cppc_status read_standard_streams(ByteReader& in);

}  // namespace cppc::address::streams
