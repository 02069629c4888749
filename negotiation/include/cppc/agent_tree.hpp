/// How agents tell each other: as a tree, so that none has more neighbours than a few, however many nodes there are.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "cppc/status.h"

namespace cppc::negotiation {

/// Messages between an agent and its neighbours. Agents are numbered from 0, the root.
class Tree {
 public:
  using Words = std::vector<std::uint64_t>;
  /// Children of an agent, at the most: a message goes to the root of 3,000 nodes in four steps.
  static constexpr int default_fan_out = 8;

  virtual ~Tree() = default;

  [[nodiscard]] int self() const { return self_; }
  /// -1 at the root.
  [[nodiscard]] int parent() const { return self_ == 0 ? -1 : (self_ - 1) / fan_out_; }
  [[nodiscard]] const std::vector<int>& children() const { return children_; }

  /// To the parent or a child; never waits. Messages arrive in the order in which they are sent.
  virtual tl::expected<void, cppc_status> send(int to, Words words) = 0;
  /// Takes in what has arrived; never waits.
  virtual tl::expected<void, cppc_status> progress() = 0;
  /// The next message of the parent or a child that has been taken in.
  virtual std::optional<Words> receive(int from) = 0;

 protected:
  /// `fan_out` > 0.
  Tree(int self, int agents, int fan_out);
  Tree(Tree&&) noexcept = default;

 private:
  int self_;
  int fan_out_;
  std::vector<int> children_;
};

/// By messages of MPI. One thread at a time; progress() may wait for the rest of a large message that has begun to
/// arrive. It looks into MPI once when nothing has: each look may cost the time slice of a busy node. Errors:
/// CPPC_ERR_MPI, logged.
class AgentTree final : public Tree {
 public:
  /// Not collective. `agents` must outlive this, and return errors (MPI_ERRORS_RETURN). Messages have a tag of their
  /// own; all that are sent have to be received before another tree is made of the same communicator.
  static tl::expected<AgentTree, cppc_status> over(MPI_Comm agents, int fan_out = default_fan_out);
  AgentTree(AgentTree&&) noexcept = default;
  AgentTree& operator=(AgentTree&&) = delete;
  /// Waits until what was sent has left.
  ~AgentTree() override;

  tl::expected<void, cppc_status> send(int to, Words words) override;
  tl::expected<void, cppc_status> progress() override;
  std::optional<Words> receive(int from) override;

 private:
  AgentTree(MPI_Comm agents, int self, int size, int fan_out) : Tree(self, size, fan_out), agents_(agents) {}
  tl::expected<void, cppc_status> forget_sent();

  struct Sent {
    Words words;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  MPI_Comm agents_;
  std::list<Sent> sent_;
  std::map<int, std::deque<Words>> arrived_;  ///< by sender
};

}  // namespace cppc::negotiation
