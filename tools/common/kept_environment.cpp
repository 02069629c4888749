#include "kept_environment.hpp"

#include <cstdlib>
#include <sstream>

namespace cppc::tools {
namespace {

constexpr char separator = '\x1f';

}  // namespace

Result<std::string> keep_environment(const std::string& prefix, const Environment& environment) {
  std::string text = prefix;
  for (const auto& [name, value] : environment) {
    if (!name.starts_with(prefix)) continue;
    if (value.find(separator) != std::string::npos)
      return error("the value of " + name + " has a control character in it (0x1f): unset it");
    text += separator + name + "=" + value;
  }
  return text;
}

void restore_environment(const std::string& text) {
  std::istringstream fields(text);
  std::string prefix;
  std::getline(fields, prefix, separator);
  for (const auto& [name, value] : present_environment())
    if (name.starts_with(prefix)) unsetenv(name.c_str());
  for (std::string field; std::getline(fields, field, separator);) {
    const std::size_t equals = field.find('=');
    if (equals != std::string::npos) setenv(field.substr(0, equals).c_str(), field.c_str() + equals + 1, 1);
  }
}

}  // namespace cppc::tools
