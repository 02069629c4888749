#include "text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace cppc::bench {

std::string text(double value) {
  char digits[64];
  std::snprintf(digits, sizeof digits, std::abs(value) < 9.95 ? "%.2g" : "%.0f", value);
  std::string result = digits;
  if (std::abs(value) >= 9.95) {
    for (int place = static_cast<int>(result.size()) - 3; place > (value < 0 ? 1 : 0); place -= 3)
      result.insert(static_cast<std::size_t>(place), 1, ',');
  }
  return result;
}

std::string text(const Json& value) { return text(value.get<double>()); }

std::string times(const Json& value) {
  char digits[64];
  std::snprintf(digits, sizeof digits, "%.2f", value.get<double>());
  return digits;
}

std::string names(const Json& values) {
  return list(values, [](const std::string& key, const Json&) { return key; });
}

std::string keys(const Json& values) {
  return list(values, [](const std::string& key, const Json&) { return text(std::stod(key)); });
}

std::string numbers(const Json& values) {
  return list(values, [](const std::string&, const Json& value) { return text(value); });
}

std::string numbers(const Json& values, const char* field) {
  return list(values, [&](const std::string&, const Json& value) { return text(value.at(field)); });
}

std::string newer(const Json& figures, const char* field, const char* unit) {
  return figures.contains(field) ? text(figures.at(field)) + unit : "not recorded";
}

std::string range(const Json& values) {
  double low = std::numeric_limits<double>::max(), high = 0;
  for (const Json& value : values) {
    low = std::min(low, value.get<double>());
    high = std::max(high, value.get<double>());
  }
  return low == high ? text(low) : text(low) + " to " + text(high);
}

}  // namespace cppc::bench
