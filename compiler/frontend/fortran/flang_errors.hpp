/// Which of flang's messages count: it finds fault with some of what gfortran takes.
#pragma once

#include <string>

namespace cppc::fortran {

/// The first line of the first error that counts in flang's messages, or else of these.
std::string first_error(const std::string& messages);

/// Whether the messages have errors, and none of them counts.
bool are_no_errors(const std::string& messages);

}  // namespace cppc::fortran
