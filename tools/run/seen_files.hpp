/// Whether the nodes of a job see files that this machine has. They are asked by the remote shell, which may take
/// seconds.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "allocation.hpp"

namespace cppc::run {

/// The command that runs another on a node, without that: "ssh node1"; none where that is this machine.
using WayTo = std::function<std::vector<std::string>(const AllocatedNode&)>;

/// Whether the first other node that answers sees the file; none: nobody answers.
std::optional<bool> seen_by_another(const WayTo& way_to, const std::vector<AllocatedNode>& nodes,
                                    const std::filesystem::path& file);

/// The other nodes that answer and do not have the same file in that place.
std::vector<std::string> without_same(const WayTo& way_to, const std::vector<AllocatedNode>& nodes,
                                      const std::filesystem::path& file);

}  // namespace cppc::run
