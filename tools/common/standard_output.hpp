/// What a program has printed: whether it got where it was to go.
#pragma once

namespace cppc::tools {

/// Whether all that the program has printed to standard output has been written; says why not, in the program's name.
bool has_written_output(const char* program);

}  // namespace cppc::tools
