/// Files as a whole.
#pragma once

#include <optional>
#include <string>

namespace cppc::driver {

/// The contents of the file at `path`; nothing when it cannot be read or is no regular file.
std::optional<std::string> read_regular_file(const std::string& path);

}  // namespace cppc::driver
