#include "user_name.hpp"

#include <pwd.h>

#include <array>

namespace cppc::tools {

std::string user_name(uid_t user) {
  std::array<char, 4096> memory{};
  passwd entry{};
  passwd* found = nullptr;
  const bool known = getpwuid_r(user, &entry, memory.data(), memory.size(), &found) == 0 && found != nullptr;
  return known ? found->pw_name : std::to_string(user);
}

}  // namespace cppc::tools
