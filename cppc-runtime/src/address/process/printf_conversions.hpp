/// Conversions of printf() that the program has registered, libquadmath's constructor for one. The C library has them
/// in memory of its own.
#pragma once

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::address::printf_conversions {

/// Those that the program has registered itself; libraries do it when they are started, in every process.
cppc_status write(ByteWriter& out);

/// Registers them again. CPPC_ERR_UNSUPPORTED, logged, when they do not get the numbers that they had.
cppc_status prepare(ByteReader& in);

}  // namespace cppc::address::printf_conversions
