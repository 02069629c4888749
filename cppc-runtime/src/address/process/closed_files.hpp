/// Files that the program has written to and closed again, as those that it opens for a line at a time to append it. A
/// program that is restarted from an image appends again what it had appended since: first they are cut to what they
/// were. A file that has been written anew since is left as it is: its end, where the image was made, is another.
#pragma once

#include <cstddef>

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::address::closed_files {

/// So many are known, those that have been closed last.
inline constexpr std::size_t kMost = 512;

/// The program is about to close this number. Nothing for what is no regular file, or is open for reading alone.
/// Async-signal-safe, any thread; leaves errno as it is.
void note(int number);

// ---- One thread, outside the program's time ----

/// Changes nothing. Always CPPC_OK: a file that is not to be found any more, or may not be read, is left out.
cppc_status write(ByteWriter& out);

/// In the new process. In a restart files are cut; a warning tells of one that may not be written any more.
/// CPPC_ERR_IMAGE; CPPC_ERR_SYSTEM, logged.
cppc_status cut_again(ByteReader& in);

}  // namespace cppc::address::closed_files
