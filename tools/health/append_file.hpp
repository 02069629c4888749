/// A file of lines that grows at its end, and is on the disk when a function returns.
#pragma once

#include <filesystem>

#include "../common/result.hpp"
#include "cppc/unique_fd.hpp"

namespace cppc::health {

using tools::Result;

class AppendFile {
 public:
  /// Makes it if need be, for this user alone.
  static Result<AppendFile> open(const std::filesystem::path& path);

  /// `lines` end with a newline. They are all there afterwards, or none is.
  Result<void> append(const std::string& lines);

 private:
  AppendFile(std::filesystem::path path, UniqueFd file) : path_(std::move(path)), file_(std::move(file)) {}

  std::filesystem::path path_;
  UniqueFd file_;
};

/// Puts `text` in the place of what is in the file, all or nothing.
Result<void> replace_file(const std::filesystem::path& path, const std::string& text);

}  // namespace cppc::health
