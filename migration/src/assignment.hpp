/// From an agent to the replacement that it starts.
#pragma once

#include <sys/types.h>

#include <string>
#include <tl/expected.hpp>

#include "cppc/status.h"

namespace cppc::migration {

/// What a replacement is told in its environment: whom it replaces, and where its agent's shared memory is.
struct Assignment {
  int rank = 0;
  int ranks = 0;
  pid_t agent_pid = 0;
  int control = -1;
  int page = -1;

  static constexpr const char* variable = "CPPC_REPLACEMENT";
  [[nodiscard]] std::string encode() const;
  static tl::expected<Assignment, cppc_status> decode(const std::string& text);
};

}  // namespace cppc::migration
