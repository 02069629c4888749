#include "process_files.hpp"

#include <fstream>
#include <iterator>

namespace cppc::migration {

std::string process_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> split_at_nul(std::string_view text) {
  std::vector<std::string> strings;
  while (!text.empty()) {
    const auto end = text.find('\0');
    strings.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return strings;
}

}  // namespace cppc::migration
