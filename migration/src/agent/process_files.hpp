/// What the system tells of a process, in /proc.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cppc::migration {

/// Empty as well when it cannot be read: the process has ended, or is another user's.
std::string process_file(const std::filesystem::path& path);

/// Lists of strings are there with a NUL behind each.
std::vector<std::string> split_at_nul(std::string_view text);

}  // namespace cppc::migration
