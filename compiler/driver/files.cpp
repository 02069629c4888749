#include "files.hpp"

#include <filesystem>
#include <fstream>

namespace cppc::driver {

namespace fs = std::filesystem;

std::optional<std::string> read_regular_file(const std::string& path) {
  std::error_code failure;
  if (!fs::is_regular_file(path, failure)) return std::nullopt;
  std::string contents(fs::file_size(path, failure), '\0');
  if (failure || !std::ifstream(path, std::ios::binary).read(contents.data(), std::ssize(contents)))
    return std::nullopt;
  return contents;
}

}  // namespace cppc::driver
