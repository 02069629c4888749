#pragma once

#include <string>

namespace cppc::tools {

/// "node1" of "node1.example.org"; addresses stay as they are.
std::string without_domain(const std::string& name);

}  // namespace cppc::tools
