#pragma once

#include <cstdint>
#include <filesystem>

namespace cppc::migration {

/// Bytes that a process like this one can still use without swapping: what the machine has available, or less if one of
/// the control groups that it is in (v1 or v2, up to the outermost that can be seen) leaves less. What a group could
/// give back of its files' cache counts as free, as it does for the machine. 0 when the machine does not tell.
/// `root` is where proc and sys are, for tests.
std::uint64_t memory_free(const std::filesystem::path& root = "/");

}  // namespace cppc::migration
