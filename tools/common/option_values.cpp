#include "option_values.hpp"

#include <charconv>
#include <cstdint>
#include <optional>

namespace cppc::tools {
namespace {

constexpr double most_seconds = 1e9;  // for those who count in nanoseconds

template <class T>
std::optional<T> number_in(const std::string& value) {
  T number{};
  const char* const end = value.data() + value.size();
  const auto [last, failure] = std::from_chars(value.data(), end, number);
  if (failure != std::errc{} || last != end) return {};
  return number;
}

}  // namespace

std::string wrong_positive_seconds(const std::string& value) {
  const auto seconds = number_in<double>(value);
  if (seconds && *seconds > 0 && *seconds <= most_seconds) return "";
  return "\"" + value + "\" is no number of seconds above 0, and at most 1000000000";
}

std::string wrong_seconds(const std::string& value) {
  const auto seconds = number_in<double>(value);
  if (seconds && *seconds >= 0 && *seconds <= most_seconds) return "";
  return "\"" + value + "\" is no number of seconds from 0 to 1000000000";
}

std::string wrong_whole_number(const std::string& value) {
  return number_in<std::uint64_t>(value) ? "" : "\"" + value + "\" is no whole number from 0 up";
}

std::string wrong_name(const std::string& value) { return value.empty() ? "an empty word is no name" : ""; }

}  // namespace cppc::tools
