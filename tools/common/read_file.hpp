/// A file as a whole.
#pragma once

#include <filesystem>

#include "result.hpp"

namespace cppc::tools {

/// An error says only why it cannot be read.
Result<std::string> read_file(const std::filesystem::path& file);

}  // namespace cppc::tools
