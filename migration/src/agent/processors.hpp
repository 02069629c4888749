/// How ranks share the processors of their node.
#pragma once

#include <cstddef>
#include <string>

namespace cppc::migration {

/// What is to be known of `ranks` ranks on a node, where they outnumber `processors`; empty where they do not.
/// `autogroups`: what kernel.sched_autogroup_enabled holds, or nothing.
std::string oversubscription(std::size_t ranks, std::size_t processors, const std::string& autogroups);

/// The same of this node.
std::string oversubscription(std::size_t ranks);

}  // namespace cppc::migration
