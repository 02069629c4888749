#pragma once

#include <sys/types.h>

#include <string>

namespace cppc::tools {

/// The name of a user, or the number.
std::string user_name(uid_t user);

}  // namespace cppc::tools
