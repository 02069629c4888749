#include "cppc/choices.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <vector>

namespace cppc::choices {
namespace {

struct Choice {
  std::string_view name;
  std::vector<std::string_view> values;  ///< none: a number above 0
  std::string_view others;               ///< of spdlog, not mentioned
};

const std::vector<Choice>& choices() {
  static const std::vector<Choice> all{
      {"CPPC_LOG", {"error", "warn", "info", "debug", "trace", "off"}, "err warning critical"},
      {"CPPC_COMPRESS", {"auto", "on", "off"}, ""},
      {"CPPC_FABRIC_CHUNK", {}, ""},
      {"CPPC_FABRIC_DEPTH", {}, ""}};
  return all;
}

bool is_number(std::string_view value) {
  std::uint32_t number = 0;
  const auto [end, failure] = std::from_chars(value.begin(), value.end(), number);
  return failure == std::errc{} && end == value.end() && number > 0;
}

bool is_word_of(std::string_view words, std::string_view value) {
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    if (word == value) return true;
    words.remove_prefix(std::min(words.size(), word.size() + 1));
  }
  return false;
}

std::string text(const std::vector<std::string_view>& values) {
  std::string all;
  for (const std::string_view value : values) all += (all.empty() ? "" : ", ") + std::string(value);
  return all;
}

}  // namespace

std::string validation_error(std::string_view name, std::string_view value) {
  const auto choice = std::ranges::find(choices(), name, &Choice::name);
  if (choice == choices().end() || (value.empty() && name != "CPPC_LOG")) return {};
  const std::string setting = std::string(name) + "=" + std::string(value);
  if (choice->values.empty()) return is_number(value) ? "" : setting + " is no whole number above 0";
  const bool known =
      std::ranges::find(choice->values, value) != choice->values.end() || is_word_of(choice->others, value);
  return known ? "" : setting + " is none of " + text(choice->values);
}

}  // namespace cppc::choices
