/// Lines that continue each other in ways that flang does not know. No line's number changes.
#pragma once

#include <string>

namespace cppc::fortran {

/// As GNU's preprocessor does with lines that end in a backslash: what they make together is where the last one is.
/// Whether there are any.
bool join_spliced_lines(std::string& text);

/// `!$ &` continues a line, with OpenMP, as `&` does. Whether there are any.
bool join_sentinels(std::string& text);

}  // namespace cppc::fortran
