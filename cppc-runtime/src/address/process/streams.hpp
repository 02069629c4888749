/// The C library's streams of a program whose state is kept by address. Those that the program opens lie in its heap,
/// buffers and all, and are carried with it as bytes; left to do is what the C library itself knows of them: its list
/// of streams, and stdin, stdout and stderr, which lie in its own data. Made for glibc 2.36 on x86-64.
///
/// What lies unwritten in a buffer is written once: by the process in which the program goes on.
#pragma once

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::address::streams {

/// Changes nothing. CPPC_ERR_UNSUPPORTED, logged, for a stream that cannot be carried.
cppc_status write(ByteWriter& out);

/// In the new process, when all of the program's memory is in place, with its locale, and words that lead to libraries
/// are right for this process; on the thread that goes on as the program's. Errors are logged: CPPC_ERR_IMAGE,
/// CPPC_ERR_MISMATCH when a stream is of another C library.
cppc_status link_again(ByteReader& in);

/// Whether the word there is a link of the C library's list, which link_again() makes anew.
bool is_link(const void* word);

/// In the process that is left, before it flushes or ends: nothing of what is in the buffers is written here.
void forget();

}  // namespace cppc::address::streams
