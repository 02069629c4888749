/// How agents tell each other: as a tree, so that none has more neighbours than a few, however many nodes there are.
#pragma once

#include <cstdint>
#include <optional>
#include <tl/expected.hpp>
#include <vector>

#include "cppc/status.h"

namespace cppc::negotiation {

/// An agent's neighbours. Agents are numbered from 0, the root.
class TreePlace {
 public:
  /// Children of an agent, at the most: a message goes to the root of 3,000 nodes in four steps.
  static constexpr int default_fan_out = 8;

  /// `fan_out` > 0.
  TreePlace(int self, int agents, int fan_out = default_fan_out);

  [[nodiscard]] int self() const { return self_; }
  /// -1 at the root.
  [[nodiscard]] int parent() const { return self_ == 0 ? -1 : (self_ - 1) / fan_out_; }
  [[nodiscard]] const std::vector<int>& children() const { return children_; }

 private:
  int self_;
  int fan_out_;
  std::vector<int> children_;
};

/// Messages between an agent and its neighbours.
class Tree : public TreePlace {
 public:
  using Words = std::vector<std::uint64_t>;

  virtual ~Tree() = default;

  /// To the parent or a child; never waits. Messages arrive in the order in which they are sent.
  virtual tl::expected<void, cppc_status> send(int to, Words words) = 0;
  /// The next message of the parent or a child, if it is there.
  virtual tl::expected<std::optional<Words>, cppc_status> receive(int from) = 0;

 protected:
  using TreePlace::TreePlace;
  Tree(Tree&&) noexcept = default;
};

}  // namespace cppc::negotiation
