/// What an agent knows: its node, the job around it, and how to reach both.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "../crew.hpp"
#include "../desk.hpp"
#include "cppc/page.hpp"
#include "cppc/wire.hpp"
#include "link.hpp"
#include "process_watch.hpp"
#include "standing.hpp"

namespace cppc::migration {

struct Node {
  int agent = 0;     ///< this agent's number
  std::string name;  ///< as mpirun knows the node
  Desk desk;
  negotiation::Page page;
  Link link;
  std::unique_ptr<LinkWatch> watch;  ///< on the link; after it, so that it ends first
  Standing* standing = nullptr;      ///< the guardian's, too
  bool bound = false;                ///< Open MPI's daemon binds processes to processors
  Crew crew;
  std::vector<int> agents;                ///< numbers of those that have not retired, in the order of crew.own
  std::vector<int> agent_of;              ///< rank -> agent of the node it is on
  std::map<int, ProcessWatch> processes;  ///< ranks that run here
  std::vector<wire::Message> inbox;       ///< from the controller, not looked at yet

  [[nodiscard]] bool leader() const { return agents.front() == agent; }
  /// Rank, in crew.own, of agent `number`, which has not retired.
  [[nodiscard]] int seat(int number) const;
  [[nodiscard]] std::vector<int> local_ranks() const;

  /// Starts watching rank `rank`, which is on this node now.
  tl::expected<void, cppc_status> adopt(int rank, pid_t process);

  /// Tells the controller, and the guardian, who is here.
  tl::expected<void, cppc_status> report();
};

}  // namespace cppc::migration
