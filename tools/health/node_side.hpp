/// cppc-health on a node in a cloud: asks the metadata server, and passes on what is new. Needs no privileges.
#pragma once

#include <memory>
#include <thread>

#include "configuration.hpp"

namespace cppc::health {

class NodeSide {
 public:
  /// Works until it is destroyed. An error says what is wrong with the configuration.
  static Result<std::unique_ptr<NodeSide>> start(const Configuration& configuration);

 private:
  NodeSide() = default;
  std::vector<std::jthread> threads_;
};

}  // namespace cppc::health
