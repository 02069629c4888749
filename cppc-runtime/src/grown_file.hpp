/// Files that have grown since an image was made.
#pragma once

#include <cstdint>
#include <string_view>

#include "cppc/status.h"

namespace cppc {

/// In a restart, before the image is read: the process that the image is of may have worked on after it.
void expect_grown_files();
bool files_may_have_grown();

/// Of a regular file that the program writes to: has cut_grown_files() cut off what has been appended since it had
/// `size` bytes, so that the program does not append it twice. Does nothing where no file can have grown.
/// CPPC_ERR_SYSTEM, logged.
cppc_status cut_to_image(int descriptor, std::int64_t size, std::string_view path);

/// When all ranks have restored their states, as a restart that is refused changes no file, and before any goes on.
/// CPPC_ERR_SYSTEM, logged.
cppc_status cut_grown_files();

}  // namespace cppc
