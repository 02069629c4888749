#include "host_name.hpp"

namespace cppc::tools {

std::string without_domain(const std::string& name) {
  // An address keeps its dots: a name's last part is never a number.
  const std::size_t last = name.rfind('.');
  const bool address =
      name.find(':') != std::string::npos ||
      (last != std::string::npos && name.find_first_not_of("0123456789", last + 1) == std::string::npos);
  return address ? name : name.substr(0, name.find('.'));
}

}  // namespace cppc::tools
