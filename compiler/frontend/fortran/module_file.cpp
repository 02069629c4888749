#include "module_file.hpp"

#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace cppc::fortran {

namespace {

using TypeName = std::function<std::string(const std::string&)>;

/// Of "-0.c8@2": a fraction of hexadecimal digits, and a power of 16.
std::string real_text(const std::string& value, const std::string& kind) {
  const std::size_t power = value.find('@');
  const std::size_t digits = value.starts_with('-') ? 1 : 0;
  if (power == std::string::npos || !value.substr(digits).starts_with("0.")) return {};
  const long exponent = std::strtol(value.c_str() + power + 1, nullptr, 10) * 4;
  const std::string hexadecimal =
      value.substr(0, digits) + "0x" + value.substr(digits, power - digits) + "p" + std::to_string(exponent);
  char decimal[64];
  const int length = std::snprintf(decimal, sizeof decimal, "%.20Le", std::strtold(hexadecimal.c_str(), nullptr));
  return std::string(decimal, static_cast<std::size_t>(length)) + "_" + kind;
}

std::string quoted(const std::string& text) {
  std::string made = "'";
  for (const char c : text) made += c == '\'' ? "''" : std::string(1, c);
  return made + "'";
}

std::string number_text(const ModuleNode& value) {
  const std::string &type = value[1][0].word, &kind = value[1][1].word;
  if (type == "INTEGER") return value[3].word + "_" + kind;
  if (type == "LOGICAL") return (value[3].word == "1" ? ".true._" : ".false._") + kind;
  if (type == "REAL") return real_text(value[3].word, kind);
  if (type == "CHARACTER") return kind == "1" ? quoted(value[4].word) : std::string();
  if (type != "COMPLEX") return {};
  const std::string real = real_text(value[3].word, kind), imaginary = real_text(value[4].word, kind);
  return real.empty() || imaginary.empty() ? std::string() : std::string("(") + real + ", " + imaginary + ")";
}

/// Of elements or components; empty when one of them is not understood.
std::string list_text(const ModuleNode& values, const TypeName& type_name) {
  std::string text;
  for (const ModuleNode& one : values.list) {
    const std::string value = one[1].list.empty() ? constant_text(one[0], type_name) : std::string();
    if (value.empty()) return {};
    text += (text.empty() ? "" : ", ") + value;
  }
  return text;
}

}  // namespace

std::optional<std::string> module_text(const std::filesystem::path& file) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> in(gzopen(file.c_str(), "rb"), &gzclose);
  if (in == nullptr) return {};
  std::string text;
  char buffer[65536];
  int read = 0;
  while ((read = gzread(in.get(), buffer, sizeof buffer)) > 0) text.append(buffer, static_cast<std::size_t>(read));
  return read == 0 ? std::optional(std::move(text)) : std::nullopt;
}

std::vector<ModuleNode> parse_module(std::string_view text) {
  ModuleNode top{.word = {}, .is_list = true, .list = {}};
  std::vector<ModuleNode> open{top};
  std::size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    if (c == '(') {
      open.push_back(top);
      ++i;
    } else if (c == ')') {
      ++i;
      if (open.size() < 2) break;
      ModuleNode closed = std::move(open.back());
      open.pop_back();
      open.back().list.push_back(std::move(closed));
    } else if (c == '\'') {
      ModuleNode node;
      for (++i; i < text.size() && (text[i] != '\'' || (i + 1 < text.size() && text[i + 1] == '\'')); ++i) {
        node.word += text[i];
        if (text[i] == '\'') ++i;
      }
      ++i;
      open.back().list.push_back(std::move(node));
    } else if (c == ' ' || c == '\n' || c == '\r') {
      ++i;
    } else {
      const std::size_t end = std::min(text.find_first_of(" \r\n()'", i), text.size());
      open.back().list.push_back({.word = std::string(text.substr(i, end - i)), .is_list = false, .list = {}});
      i = end;
    }
  }
  return std::move(open.front().list);
}

std::string constant_text(const ModuleNode& value, const TypeName& type_name) {
  const std::string& kind = value[0].word;
  if (kind == "CONSTANT") return number_text(value);
  const std::string list = kind == "ARRAY" || kind == "STRUCTURE" ? list_text(value[3], type_name) : std::string();
  if (list.empty()) return {};
  if (kind == "STRUCTURE") {
    const std::string name = type_name(value[1][1].word);
    return name.empty() ? name : name + "(" + list + ")";
  }
  std::string shape;
  for (const ModuleNode& extent : value[4].list) shape += (shape.empty() ? "" : ", ") + extent.word;
  return value[4].list.size() > 1 ? std::string("reshape([") + list + "], [" + shape + "])"
                                  : std::string("[") + list + "]";
}

}  // namespace cppc::fortran
