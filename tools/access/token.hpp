/// The secret that opens a job's interface over the network: both ends keep it in a file.
#pragma once

#include <filesystem>

#include "../common/result.hpp"

namespace cppc::tools {

/// The token in this file, without the newline at its end. An error when the file is not this user's or others may use
/// it, or when it is no token: at least 32 characters of those that HTTP has for it.
Result<std::string> read_token(const std::filesystem::path& path);

}  // namespace cppc::tools
