#include "rank_count.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>

namespace cppc::run {
namespace {

using tools::error;

std::optional<int> to_number(std::string_view text) {
  int number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size() || number < 1) return std::nullopt;
  return number;
}

// From "ppr:2:node", with or without what may follow after another colon.
std::optional<int> ranks_per_node(std::string_view pattern) {
  const std::size_t colon = pattern.find(':');
  if (colon == std::string_view::npos || pattern.substr(colon + 1, 4) != "node") return std::nullopt;
  return to_number(pattern.substr(0, colon));
}

bool shares_out_by_hardware(const Context& context) {
  return context.find("npersocket") != nullptr || context.find("cpus-per-proc") != nullptr;
}

int slots_of_this_machine(const Context& context, const Machine& machine) {
  return context.find("use-hwthread-cpus") != nullptr ? static_cast<int>(sysconf(_SC_NPROCESSORS_CONF)) : machine.cores;
}

Result<int> as_count(std::int64_t ranks) {
  if (ranks > std::numeric_limits<int>::max())
    return error(std::to_string(ranks) + " ranks are more than MPI can have");
  return static_cast<int>(ranks);
}

Result<int> sum_of_slots(const Context& context, std::span<const AllocatedNode> nodes, const Machine& machine) {
  std::int64_t sum = 0;
  for (const AllocatedNode& node : nodes) {
    if (!node.slots && node.name != machine.name) {
      return error("how many ranks? Say it with -n, or give " + node.name + " a number of slots");
    }
    sum += node.slots ? *node.slots : slots_of_this_machine(context, machine);
  }
  return as_count(sum);
}

}  // namespace

Result<int> default_rank_count(const Context& context, const Allocation& allocation, const Machine& machine) {
  const auto node_count = static_cast<std::int64_t>(allocation.nodes.size());
  std::optional<int> per_node;
  bool patterned = false;
  if (context.find("pernode") != nullptr) patterned = true, per_node = 1;
  if (const Option* option = context.find("npernode")) patterned = true, per_node = to_number(option->values[0]);
  if (const Option* option = context.find("ppr")) patterned = true, per_node = ranks_per_node(option->values[0]);
  if (const Option* option = context.find("map-by")) {
    const std::string& policy = option->values[0];
    if (policy.starts_with("ppr:")) patterned = true, per_node = ranks_per_node(std::string_view(policy).substr(4));
    patterned |= policy.find("PE=") != std::string::npos || policy.find("pe=") != std::string::npos;
  }
  if (per_node) return as_count(*per_node * node_count);
  if (patterned || shares_out_by_hardware(context)) return error("how many ranks? Say it with -n");
  return allocation.ranks ? Result<int>(*allocation.ranks) : sum_of_slots(context, allocation.nodes, machine);
}

}  // namespace cppc::run
