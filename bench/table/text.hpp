/// Figures as the README's table writes them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace cppc::bench {

using Json = nlohmann::ordered_json;

/// Two digits, or a whole number.
std::string text(double value);
std::string text(const Json& value);

/// "1, 2, 3"
template <class Values, class Format>
std::string list(const Values& values, Format format) {
  std::string result;
  for (const auto& [key, value] : values.items()) result += (result.empty() ? "" : ", ") + format(key, value);
  return result;
}

/// With two digits after the point: 1.02 is not 1.
std::string times(const Json& value);

/// Of an object: its keys as they are, as numbers, its values, a field of each value.
std::string names(const Json& values);
std::string keys(const Json& values);
std::string numbers(const Json& values);
std::string numbers(const Json& values, const char* field);

/// With its unit; "not recorded" if the line is older than the field.
std::string newer(const Json& figures, const char* field, const char* unit);

/// "3" or "3 to 26"
std::string range(const Json& values);

}  // namespace cppc::bench
