/// Secrets and names that nobody guesses.
#pragma once

#include <cstddef>
#include <string>

namespace cppc::tools {

/// So many bytes from the system, at most 32, as hexadecimal digits.
std::string random_hex(std::size_t bytes);

}  // namespace cppc::tools
