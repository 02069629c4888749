#include <algorithm>
#include <fstream>

#include "../host_lists.hpp"
#include "resource_manager.hpp"

namespace cppc::run {
namespace {

using tools::error;

class Pbs : public ResourceManager {
 public:
  Pbs(std::string job, std::vector<AllocatedNode> nodes) : job_(std::move(job)), nodes_(std::move(nodes)) {}

  std::string name() const override { return "PBS job " + job_; }
  std::string id() const override { return "pbs:" + job_; }
  const std::vector<AllocatedNode>& nodes() const override { return nodes_; }
  std::string prefix() const override { return "PBS_"; }

  Release release(const std::string&, const std::string&, const std::stop_token&) override {
    return keep("which cppc-run cannot take it out of (OpenPBS: pbs_release_nodes)");
  }
  Release keep(const std::string& reason) const override {
    return {Release::State::kept, "still in " + name() + ", " + reason + "; to power it off may end that job"};
  }

 private:
  std::string job_;
  std::vector<AllocatedNode> nodes_;
};

}  // namespace

// A line for each slot.
Result<std::unique_ptr<ResourceManager>> join_pbs(const Environment& present, const Machine& machine) {
  const std::string& path = present.at("PBS_NODEFILE");
  std::ifstream file(path);
  if (!file) return error("cannot read " + path + ", the list of nodes that PBS_NODEFILE names");
  auto nodes = parse_host_file(file, path, machine);
  if (!nodes) return error(std::move(nodes).error());
  if (nodes->empty()) return error(path + ", which PBS_NODEFILE names, has no nodes in it");
  for (AllocatedNode& node : *nodes) node.slots = node.slots.value_or(1);
  const auto job = present.find("PBS_JOBID");
  return std::make_unique<Pbs>(job == present.end() ? "without a number" : job->second, *std::move(nodes));
}

}  // namespace cppc::run
