/// What operators ask for when nodes are to come, or come back, to a running job; refused by name before anything
/// stops.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "job.hpp"
#include "site.hpp"

namespace cppc::run {

/// What the job's surroundings have to say about it.
struct RelocationRules {
  std::string refusal;  ///< why this job cannot relocation at all; empty: it can
  /// Looks at a node that is named as --host does: whether it can be one of the job's. May wait for seconds.
  std::function<Result<AllocatedNode>(const std::string& node)> admit;
};

/// What a job's surroundings and its owner have to say about requests.
struct RequestRules {
  RelocationRules relocations;
  SiteMoves site_moves = {};
};

/// Why a job that was started like this cannot go on under another mpirun; empty: it can. `input` is a descriptor: its
/// standard input.
std::string relocation_refusal(std::span<const Context> contexts, int input);

struct NodesRequest {
  std::vector<std::string> add;  ///< nodes, as --host takes them, or:
  std::string restore;           ///< the node to which all ranks that have left it go back
  plan::Request moves = {};      ///< with `add`: ranks that are to be on these nodes then
  std::string images;            ///< the directory for the images; empty: the nodes' memory, or that for checkpoints
  double timeout_s = 60;
  Origin origin = {};
};

using Moves = std::vector<NamedMove>;

/// The migration, or for a dry run its moves. Waits for nodes and for the file system.
tl::expected<std::variant<Migration, Moves>, Job::Refusal> request_nodes(Job& job, const RelocationRules& rules,
                                                                         const NodesRequest& request, bool dry_run);

}  // namespace cppc::run
