/// The board that agents share: one word, and one mark an agent, both in the leader's memory.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <tl/expected.hpp>

#include "cppc/migration_point.hpp"
#include "cppc/status.h"

namespace cppc::negotiation {

/// What AgentSide needs of it. Agents are numbered from 0, the leader.
class Board {
 public:
  virtual ~Board() = default;
  [[nodiscard]] virtual int self() const = 0;
  virtual tl::expected<Word, cppc_status> read() = 0;
  /// Puts `desired` in place of `expected`, if that is what is there; returns what was there.
  virtual tl::expected<Word, cppc_status> compare_and_swap(Word expected, Word desired) = 0;
  /// Sets this agent's mark; marks only rise.
  virtual tl::expected<void, cppc_status> mark(std::uint64_t value) = 0;
  /// Leader: the lowest of all agents' marks.
  virtual tl::expected<std::uint64_t, cppc_status> lowest_mark() = 0;
};

/// A board by MPI RMA (passive target) in the memory of rank 0 of a communicator of agents only. Other agents' calls
/// return once the leader has entered MPI, so the leader stays in its polling loop while anybody negotiates.
///
/// Open MPI 4.1: osc/rdma does not work over TCP between nodes; run with `--mca osc ^rdma`, and
/// without ucx, which times out on loaded nodes.
/// One thread at a time. Errors: CPPC_ERR_MPI, logged.
class AgentWindow final : public Board {
 public:
  /// Collective over `agents`, which must outlive the window and return errors (MPI_ERRORS_RETURN). The board is empty.
  static tl::expected<AgentWindow, cppc_status> create(MPI_Comm agents);
  AgentWindow(AgentWindow&& other) noexcept;
  AgentWindow& operator=(AgentWindow&&) = delete;
  ~AgentWindow() override;

  /// Collective. Must be called before destruction and before MPI_Finalize; agents that retire or join make it
  /// necessary to close this window and create one on the new communicator.
  tl::expected<void, cppc_status> close();

  [[nodiscard]] int self() const override { return self_; }
  tl::expected<Word, cppc_status> read() override;
  tl::expected<Word, cppc_status> compare_and_swap(Word expected, Word desired) override;
  tl::expected<void, cppc_status> mark(std::uint64_t value) override;
  tl::expected<std::uint64_t, cppc_status> lowest_mark() override;

 private:
  AgentWindow(MPI_Comm agents, int self, int size) : agents_(agents), self_(self), size_(size) {}
  MPI_Comm agents_;
  MPI_Win window_ = MPI_WIN_NULL;
  int self_;
  int size_;
};

}  // namespace cppc::negotiation
