/// The agents' tree in their agreements (negotiation/), by the messages of AgentComm.
#pragma once

#include "agent_comm.hpp"
#include "cppc/tree.hpp"

namespace cppc::migration {

/// `comm` must outlive it. One thread at a time. receive() may wait for the rest of a large message that has begun to
/// arrive. Errors: CPPC_ERR_LOST when the communicator is broken.
class AgentTree final : public negotiation::Tree {
 public:
  /// Not collective. All messages have this tag: all that are sent have to be received before another tree has it.
  AgentTree(AgentComm& comm, int tag, int fan_out = default_fan_out);

  tl::expected<void, cppc_status> send(int to, Words words) override;
  tl::expected<std::optional<Words>, cppc_status> receive(int from) override;

 private:
  AgentComm* comm_;
  int tag_;
};

}  // namespace cppc::migration
