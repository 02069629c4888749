#include "read_file.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace cppc::tools {

Result<std::string> read_file(const std::filesystem::path& file) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::string text;
  std::array<char, 1 << 16> chunk;
  while (in && (in.read(chunk.data(), chunk.size()) || in.gcount() > 0))
    text.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
  if (in.is_open() && !in.bad()) return text;
  return error(errno == 0 ? "an error of input" : std::strerror(errno));
}

}  // namespace cppc::tools
