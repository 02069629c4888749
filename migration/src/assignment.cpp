#include "assignment.hpp"

#include <spdlog/spdlog.h>

#include <cstdio>

namespace cppc::migration {

std::string Assignment::encode() const { return fmt::format("{} {} {} {} {}", rank, ranks, agent_pid, control, page); }

tl::expected<Assignment, cppc_status> Assignment::decode(const std::string& text) {
  Assignment one;
  if (std::sscanf(text.c_str(), "%d %d %d %d %d", &one.rank, &one.ranks, &one.agent_pid, &one.control, &one.page) !=
      5) {
    spdlog::error("'{}' in {} is not for a replacement of this version", text, variable);
    return tl::unexpected(CPPC_ERR_ARGUMENT);
  }
  return one;
}

}  // namespace cppc::migration
