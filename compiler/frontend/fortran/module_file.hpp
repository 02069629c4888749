/// What gfortran writes of modules: lists of words, texts in quotes, and lists.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cppc::fortran {

struct ModuleNode {
  std::string word;
  bool is_list = false;
  std::vector<ModuleNode> list;
  /// An empty one where there is none.
  const ModuleNode& operator[](std::size_t i) const {
    static const ModuleNode nothing;
    return i < list.size() ? list[i] : nothing;
  }
  [[nodiscard]] bool has(std::string_view one) const {
    return std::ranges::any_of(list, [&](const ModuleNode& node) { return !node.is_list && node.word == one; });
  }
};

/// Of a file, which is compressed. Nothing when it cannot be read.
std::optional<std::string> module_text(const std::filesystem::path& file);

/// What is not closed ends with the text.
std::vector<ModuleNode> parse_module(std::string_view text);

/// The value of a constant, as a program may write it; empty when it is not understood. `type_name`: of a derived type,
/// by its number.
std::string constant_text(const ModuleNode& value, const std::function<std::string(const std::string&)>& type_name);

}  // namespace cppc::fortran
