/// What a program has told the C library to do from then on: openlog() and setlogmask(), textdomain() and its kin,
/// siginterrupt(), pthread_atfork(), re_comp(), pthread_setcancelstate(). A replacement tells it the same.
#pragma once

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::address::c_library_settings {

cppc_status write(ByteWriter& writer);
cppc_status prepare(ByteReader& reader);
/// Before signals have their actions, which siginterrupt() changes.
void apply();

}  // namespace cppc::address::c_library_settings
