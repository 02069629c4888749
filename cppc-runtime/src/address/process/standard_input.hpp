/// The rest of what the program is given on standard input. mpirun hands it to a rank by a pipe, which leads to the old
/// process: what is left in it goes along, if that is all.
#pragma once

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::address::standard_input {

/// The program has read from this number. Async-signal-safe, any thread.
void was_read(int number);

/// `number`: a descriptor of the standard input that the process was started with; -1: none is left. Changes nothing.
/// CPPC_ERR_UNSUPPORTED, logged, when the program reads from a pipe or a terminal that has not come to its end.
cppc_status write(ByteWriter& out, int number);

/// In the new process: puts it on descriptor 0, or leaves what is there. Errors are logged.
cppc_status open_again(ByteReader& in);

}  // namespace cppc::address::standard_input
