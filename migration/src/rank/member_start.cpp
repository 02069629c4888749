/// How a process becomes a member of the job: with all others at its start, from a checkpoint, or in the place of a
/// rank.

#include <cstdint>
#include <utility>

#include "../assignment.hpp"
#include "cppc/fault.hpp"
#include "member.hpp"

namespace cppc::migration {

namespace {

tl::expected<std::pair<ControlBlock, negotiation::RankSide>, cppc_status> open_agent_memory(const AgentAccess& access,
                                                                                            int rank) {
  auto control = ControlBlock::open(access.agent_pid, access.control);
  if (!control) return tl::unexpected(control.error());
  auto page = negotiation::Page::open(access.agent_pid, access.page);
  if (!page) return tl::unexpected(page.error());
  auto negotiator = negotiation::RankSide::attach(std::move(*page), rank);
  if (!negotiator) return tl::unexpected(negotiator.error());
  return std::pair{std::move(*control), std::move(*negotiator)};
}

}  // namespace

Member::Member(const cppc_runtime& runtime, const cppc_calls& calls, int rank, ControlBlock control,
               negotiation::RankSide negotiator)
    : runtime_(&runtime), rank_(rank), control_(std::move(control)), negotiator_(std::move(negotiator)) {
  seen_ = control_.commands();
  slot().stage.set(static_cast<std::uint32_t>(Stage::working));
  slot().stops = runtime.watch_calls(negotiator_.page().doorbell(), &calls);
  if (slot().stops > CPPC_AT_MARKS) cut_.emplace(negotiator_);
}

tl::expected<std::unique_ptr<Member>, cppc_status> Member::assemble(const cppc_runtime& runtime,
                                                                    const cppc_calls& calls) {
  const auto counts = count_members(false);
  if (!counts) return tl::unexpected(counts.error());
  auto met = gather_members(*counts, {});
  if (!met) return tl::unexpected(met.error());
  int rank = 0;
  if (!checked(PMPI_Comm_rank(met->comms.own, &rank), "MPI_Comm_rank")) return tl::unexpected(CPPC_ERR_MPI);
  auto access = open_agent_memory(met->access, rank);
  if (!access) return tl::unexpected(access.error());
  std::unique_ptr<Member> member(new Member(runtime, calls, rank, std::move(access->first), std::move(access->second)));
  member->enter(met->comms);
  Slot& slot = member->slot();
  slot.object_bytes = static_cast<std::uint32_t>(runtime.describe_objects(slot.objects.data(), slot.objects.size()));
  return member;
}

tl::expected<std::unique_ptr<Member>, cppc_status> Member::enlist(const cppc_runtime& runtime,
                                                                  const cppc_calls& calls) {
  auto member = assemble(runtime, calls);
  if (!member) return member;
  (*member)->watch_page();
  // Agents look at their ranks once all have attached.
  if (!checked(PMPI_Barrier((*member)->comms_.all), "the ranks and agents of the job do not meet"))
    return tl::unexpected(CPPC_ERR_MPI);
  return member;
}

tl::expected<std::unique_ptr<Member>, cppc_status> Member::restart(const cppc_runtime& runtime, const cppc_calls& calls,
                                                                   const std::string& checkpoint) {
  auto member = assemble(runtime, calls);
  if (member) (*member)->checkpoint_ = checkpoint;
  return member;
}

tl::expected<std::unique_ptr<Member>, cppc_status> Member::replace(const cppc_runtime& runtime, const cppc_calls& calls,
                                                                   const std::string& assignment) {
  const auto mine = Assignment::decode(assignment);
  if (!mine) return tl::unexpected(mine.error());
  auto access =
      open_agent_memory({.agent_pid = mine->agent_pid, .control = mine->control, .page = mine->page}, mine->rank);
  if (!access) return tl::unexpected(access.error());
  std::unique_ptr<Member> member(
      new Member(runtime, calls, mine->rank, std::move(access->first), std::move(access->second)));
  member->comms_.ranks = mine->ranks;
  member->slot().in_mpi.store(1);
  if (auto faulty = fault::at("replacement-start"); !faulty) return tl::unexpected(faulty.error());
  const Slot& slot = member->slot();
  if (const cppc_status status = runtime.compare_objects(slot.objects.data(), slot.object_bytes); status != CPPC_OK)
    member->fail(status);
  auto arrival = Arrival::prepare(runtime, member->slot());
  if (!arrival) return tl::unexpected(arrival.error());
  member->arrival_.emplace(std::move(*arrival));
  return member;
}

}  // namespace cppc::migration
