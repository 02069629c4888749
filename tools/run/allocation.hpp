/// The nodes of the job, from --host, --hostfile and the default host file, as mpirun reads them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../common/host_name.hpp"
#include "mpirun_options.hpp"

namespace cppc::run {

using tools::without_domain;

struct AllocatedNode {
  std::string name;          ///< as mpirun calls it: this machine by its host name, others without their domain
  std::optional<int> slots;  ///< none: as many as it has cores
  friend bool operator==(const AllocatedNode&, const AllocatedNode&) = default;
};

/// What this machine is called, and which other names mean it.
struct Machine {
  std::string name;
  std::function<bool(const std::string&)> is_local;  ///< for any host name or address
  int cores = 1;
};
Machine this_machine();

struct Allocation {
  std::vector<AllocatedNode> nodes;  ///< agents are numbered in this order; this machine alone when nobody named nodes
  bool named = false;                ///< false: nobody did
  std::map<const Context*, std::vector<AllocatedNode>> of_context;  ///< for contexts that name nodes of their own
  std::optional<int> ranks;  ///< as many as the resource manager was asked for, when nobody named nodes
  /// The node of each rank of a job that has run before; empty: as mpirun's options have it.
  std::vector<std::string> places = {};
};

class ResourceManager;

/// Reads the host files that the contexts name. In the job of a resource manager its nodes are what there is, of which
/// the contexts may choose some. The contexts have to outlive the result.
Result<Allocation> allocate(std::span<const Context> contexts, const Machine& machine,
                            const ResourceManager* manager = nullptr);

/// As --host takes it: "node0:2,node1:*".
std::string host_list(std::span<const AllocatedNode> nodes);

}  // namespace cppc::run
