#pragma once

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace cppc {

/// Of a file; nothing when it cannot be read, for the reason in errno.
inline std::optional<std::string> read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text;
  std::array<char, 1 << 16> chunk;
  while (in.read(chunk.data(), chunk.size()) || in.gcount() > 0)
    text.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
  return in.bad() ? std::nullopt : std::optional(std::move(text));
}

}  // namespace cppc
