#include "assignment.hpp"

#include <spdlog/spdlog.h>

#include <sstream>

namespace cppc::migration {
namespace {
constexpr const char* none = "-";
}  // namespace

std::string Assignment::encode() const {
  return fmt::format("{} {} {} {} {} {}", rank, ranks, agent_pid, desk, page, provider.empty() ? none : provider);
}

tl::expected<Assignment, cppc_status> Assignment::decode(const std::string& text) {
  Assignment one;
  std::istringstream words(text);
  if (!(words >> one.rank >> one.ranks >> one.agent_pid >> one.desk >> one.page >> one.provider)) {
    spdlog::error("'{}' in {} is not for a replacement of this version", text, variable);
    return tl::unexpected(CPPC_ERR_ARGUMENT);
  }
  if (one.provider == none) one.provider.clear();
  return one;
}

}  // namespace cppc::migration
