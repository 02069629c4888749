/// Checks of options' values: each returns what is wrong with a value, for the message of the option, or nothing.
#pragma once

#include <string>

namespace cppc::tools {

/// A time above 0, or one of at least 0.
std::string wrong_positive_seconds(const std::string& value);
std::string wrong_seconds(const std::string& value);
/// A number without sign and fraction, of at most 64 bits.
std::string wrong_whole_number(const std::string& value);
/// A name that has letters.
std::string wrong_name(const std::string& value);

}  // namespace cppc::tools
