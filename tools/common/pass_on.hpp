/// Bytes from one descriptor to another, as they come.
#pragma once

namespace cppc::tools {

/// What is there to be read, some of it at a time; waits for it, and for room to write it. False: one of them has
/// ended.
bool pass_on(int from, int to);

}  // namespace cppc::tools
