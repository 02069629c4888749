#include "allocation.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "host_lists.hpp"
#include "resource_manager/resource_manager.hpp"

namespace cppc::run {
namespace {

using tools::error;
using Nodes = std::vector<AllocatedNode>;

Result<Nodes> read_host_file(const std::string& path, const Machine& machine) {
  std::ifstream file(path);
  if (!file) return error("cannot read the host file " + path);
  return parse_host_file(file, path, machine);
}

// The nodes that a context names, if it does. --host counts before a host file, as with mpirun.
Result<Nodes> nodes_of(const Context& context, const Machine& machine) {
  std::string list;
  std::vector<std::string> files;
  for (const Option& option : context.options) {
    if (option.name == "host") list += (list.empty() ? "" : ",") + option.values[0];
    if (option.name == "hostfile") files.push_back(option.values[0]);
  }
  if (files.size() > 1)
    return error("only one host file can be given for a program, not " + files[0] + " and " + files[1]);
  if (!list.empty()) return parse_host_list(list, machine);
  if (files.empty()) return Nodes{};
  auto nodes = read_host_file(files[0], machine);
  if (nodes && nodes->empty()) return error("the host file " + files[0] + " names no node");
  return nodes;
}

// The last number of slots that somebody gives to a node holds for all, as with mpirun.
void merge(Nodes& all, const Nodes& more) {
  for (const AllocatedNode& node : more) {
    const auto known =
        std::find_if(all.begin(), all.end(), [&](const AllocatedNode& one) { return one.name == node.name; });
    if (known == all.end()) {
      all.push_back(node);
    } else if (node.slots) {
      known->slots = node.slots;
    }
  }
}

Result<Nodes> default_nodes(std::span<const Context> contexts, const Machine& machine) {
  std::string path = "/etc/openmpi/openmpi-default-hostfile";
  if (const char* variable = std::getenv("OMPI_MCA_orte_default_hostfile")) path = variable;
  if (const auto parameter = mca_value(contexts, "orte_default_hostfile")) path = *parameter;
  for (const Context& context : contexts) {
    if (const Option* option = context.find("default-hostfile")) path = option->values[0];
  }
  std::ifstream file(path);
  if (!file) return Nodes{};  // mpirun does not mind either
  return parse_host_file(file, path, machine);
}

bool only_elsewhere(std::span<const Context> contexts) {
  return std::any_of(contexts.begin(), contexts.end(),
                     [](const Context& context) { return context.find("nolocal") != nullptr; });
}

// Nodes that a context names, in the job of a resource manager: others are refused, and where nobody says how many
// slots there are, the job's count.
Result<void> restrict_to(const ResourceManager& manager, Nodes& nodes) {
  for (AllocatedNode& node : nodes) {
    const auto known = std::ranges::find(manager.nodes(), node.name, &AllocatedNode::name);
    if (known == manager.nodes().end()) return error(node.name + " is not among the nodes of " + manager.name());
    if (!node.slots) node.slots = known->slots;
  }
  return {};
}

Result<Nodes> nodes_that_nobody_names(std::span<const Context> contexts, const Machine& machine,
                                      const ResourceManager* manager) {
  if (manager != nullptr) return manager->nodes();
  return default_nodes(contexts, machine);
}

}  // namespace

Result<Allocation> allocate(std::span<const Context> contexts, const Machine& machine, const ResourceManager* manager) {
  Allocation allocation;
  for (const Context& context : contexts) {
    auto nodes = nodes_of(context, machine);
    if (!nodes) return error(std::move(nodes).error());
    if (nodes->empty()) continue;
    if (manager != nullptr) {
      if (const auto inside = restrict_to(*manager, *nodes); !inside) return error(inside.error());
    }
    merge(allocation.nodes, *nodes);
    allocation.of_context.emplace(&context, *std::move(nodes));
  }
  if (allocation.nodes.empty()) {
    auto nodes = nodes_that_nobody_names(contexts, machine, manager);
    if (!nodes) return error(std::move(nodes).error());
    allocation.nodes = *std::move(nodes);
    if (manager != nullptr) allocation.ranks = manager->ranks();
  }
  allocation.named = !allocation.nodes.empty();
  if (!allocation.named) allocation.nodes.push_back({machine.name, std::nullopt});
  if (only_elsewhere(contexts)) {
    std::erase_if(allocation.nodes, [&](const AllocatedNode& node) { return node.name == machine.name; });
  }
  if (allocation.nodes.empty()) return error("--nolocal leaves no node to run on");
  return allocation;
}

std::string host_list(std::span<const AllocatedNode> nodes) {
  std::string list;
  for (const AllocatedNode& node : nodes) {
    list += (list.empty() ? "" : ",") + node.name + ":" + (node.slots ? std::to_string(*node.slots) : "*");
  }
  return list;
}

}  // namespace cppc::run
