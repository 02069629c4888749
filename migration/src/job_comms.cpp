#include "job_comms.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <string>
#include <string_view>

namespace cppc::migration {
namespace {

constexpr int kTag = 0x4350;

tl::expected<void, cppc_status> check(int code, const char* what) {
  if (code == MPI_SUCCESS) return {};
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (PMPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) length = 0;
  spdlog::error("{}: {}", what, std::string_view(text.data(), static_cast<std::size_t>(length)));
  return tl::unexpected(CPPC_ERR_MPI);
}

/// Errors of these communicators come back as codes: the caller decides what they cost.
int return_errors(MPI_Comm comm) { return PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN); }

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

/// What the agent of this node offers, known to all processes of the node.
tl::expected<AgentAccess, cppc_status> find_agent(const AgentAccess& offered) {
  MPI_Comm node = MPI_COMM_NULL;
  if (auto made = check(PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
                        "cannot find the processes of this node");
      !made)
    return tl::unexpected(made.error());
  int size = 0;
  int code = PMPI_Comm_size(node, &size);
  std::vector<AgentAccess> offers(static_cast<std::size_t>(size));
  if (code == MPI_SUCCESS)
    code = PMPI_Allgather(&offered, sizeof offered, MPI_BYTE, offers.data(), sizeof offered, MPI_BYTE, node);
  const int freed = PMPI_Comm_free(&node);
  if (code == MPI_SUCCESS) code = freed;
  if (auto gathered = check(code, "cannot meet the processes of this node"); !gathered)
    return tl::unexpected(gathered.error());
  const auto found = std::find_if(offers.begin(), offers.end(), [](const AgentAccess& one) { return one.agent >= 0; });
  if (found == offers.end()) {
    spdlog::error("no cppc-agent runs on node {}; start the program with cppc-run", host_name());
    return tl::unexpected(CPPC_ERR_NOT_FOUND);
  }
  return *found;
}

/// `comms.all` is there.
int split(bool agent, int key, JobComms& comms) {
  int code = return_errors(comms.all);
  if (code == MPI_SUCCESS) code = PMPI_Comm_split(comms.all, agent ? 1 : 0, key, &comms.own);
  // Of its world, the application may want to hear otherwise: the runtime sees to that.
  if (code == MPI_SUCCESS) code = PMPI_Comm_set_errhandler(comms.own, agent ? MPI_ERRORS_RETURN : MPI_ERRORS_ARE_FATAL);
  return code;
}

}  // namespace

bool checked(int code, const char* what) { return check(code, what).has_value(); }

tl::expected<MPI_Comm, cppc_status> some_of(MPI_Comm comm, std::span<const int> members, int number) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group some = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  int code = PMPI_Comm_group(comm, &all);
  if (code == MPI_SUCCESS) code = PMPI_Group_incl(all, static_cast<int>(members.size()), members.data(), &some);
  if (code == MPI_SUCCESS) code = PMPI_Comm_create_group(comm, some, number % 10000, &made);
  if (code == MPI_SUCCESS) code = return_errors(made);
  for (MPI_Group* group : {&some, &all})
    if (*group != MPI_GROUP_NULL) (void)checked(PMPI_Group_free(group), "MPI_Group_free");
  if (auto done = check(code, "those that are left cannot meet without the others"); !done)
    return tl::unexpected(done.error());
  return made;
}

tl::expected<MemberCounts, cppc_status> count_members(bool is_agent) {
  int size = 0;
  int me = 0;
  const int mine = is_agent ? 1 : 0;
  MemberCounts counts;
  // The application's own handler is that of MPI_COMM_WORLD in a rank.
  int code = is_agent ? return_errors(MPI_COMM_WORLD) : MPI_SUCCESS;
  if (code == MPI_SUCCESS) code = PMPI_Comm_size(MPI_COMM_WORLD, &size);
  if (code == MPI_SUCCESS) code = PMPI_Comm_rank(MPI_COMM_WORLD, &me);
  if (code == MPI_SUCCESS) code = PMPI_Allreduce(&mine, &counts.agents, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (auto summed = check(code, "the ranks and agents of the job cannot be counted"); !summed)
    return tl::unexpected(summed.error());
  counts.ranks = size - counts.agents;
  if (is_agent != (me >= counts.ranks)) {
    spdlog::error("process {} of {} is in the place of {}: agents come after the {} ranks of the application", me, size,
                  is_agent ? "a rank" : "an agent", counts.ranks);
    return tl::unexpected(CPPC_ERR_MISMATCH);
  }
  if (is_agent) counts.agent = me - counts.ranks;
  return counts;
}

tl::expected<Members, cppc_status> gather_members(const MemberCounts& counts, const AgentAccess& offered) {
  auto access = find_agent(offered);
  if (!access) return tl::unexpected(access.error());
  Members result;
  result.access = *access;
  result.agents = counts.agents;
  result.comms.ranks = counts.ranks;
  const std::array<int, 2> mine{access->agent, static_cast<int>(getpid())};
  const auto size = static_cast<std::size_t>(counts.ranks + counts.agents);
  std::vector<std::array<int, 2>> everybody(size);
  int me = 0;
  int code = PMPI_Comm_rank(MPI_COMM_WORLD, &me);
  if (code == MPI_SUCCESS) code = PMPI_Allgather(mine.data(), 2, MPI_INT, everybody.data(), 2, MPI_INT, MPI_COMM_WORLD);
  if (code == MPI_SUCCESS) code = PMPI_Comm_dup(MPI_COMM_WORLD, &result.comms.all);
  if (code == MPI_SUCCESS) code = split(counts.agent >= 0, me, result.comms);
  if (auto met = check(code, "the ranks and agents of the job cannot meet"); !met) return tl::unexpected(met.error());
  for (int rank = 0; rank < counts.ranks; ++rank) {
    result.agent_of.push_back(everybody[static_cast<std::size_t>(rank)][0]);
    result.pid_of.push_back(everybody[static_cast<std::size_t>(rank)][1]);
  }
  return result;
}

namespace {

int free_comm(MPI_Comm& comm) { return comm == MPI_COMM_NULL ? MPI_SUCCESS : PMPI_Comm_free(&comm); }

/// Those of `bridge` and those of the neighbouring group, if there is one, become one: in each round groups of twice
/// the size. The agent of the first group in each comes first.
int merge_neighbours(const Part& part, int distance, MPI_Comm all, MPI_Comm& bridge) {
  const int first = part.group - part.group % distance;
  const bool low = first / distance % 2 == 0;
  const int other = low ? first + distance : first - distance;
  if (other >= static_cast<int>(part.joins.size())) return MPI_SUCCESS;
  MPI_Comm inter = MPI_COMM_NULL;
  MPI_Comm merged = MPI_COMM_NULL;
  int code = PMPI_Intercomm_create(bridge, 0, all, part.joins[static_cast<std::size_t>(other)], kTag + 1, &inter);
  if (code == MPI_SUCCESS) code = PMPI_Intercomm_merge(inter, low ? 0 : 1, &merged);
  if (code == MPI_SUCCESS) code = free_comm(inter);
  if (code == MPI_SUCCESS) code = free_comm(bridge);
  if (code == MPI_SUCCESS) bridge = merged;
  return code;
}

/// Replacements and all who are there already become one communicator, the replacements last. The groups of
/// replacements, each with its agent, come together before that, so that those who stay take two steps, however many
/// groups there are.
int join_replacements(const Part& part, bool replacement, MPI_Comm& current) {
  const int groups = static_cast<int>(part.joins.size());
  MPI_Comm bridge = part.bridge;
  MPI_Comm several = MPI_COMM_NULL;  // replacements of more than one group
  int code = MPI_SUCCESS;
  if (bridge != MPI_COMM_NULL && groups > 1) {
    for (int distance = 1; distance < groups && code == MPI_SUCCESS; distance *= 2)
      code = merge_neighbours(part, distance, current, bridge);
    if (code == MPI_SUCCESS) code = PMPI_Comm_split(bridge, replacement ? 0 : MPI_UNDEFINED, 0, &several);
  }
  MPI_Comm inter = MPI_COMM_NULL;
  // Rank 0 of the bridge is the first agent, rank 1 its first replacement.
  if (code == MPI_SUCCESS)
    code = replacement ? PMPI_Intercomm_create(groups > 1 ? several : MPI_COMM_WORLD, 0, bridge, 0, kTag, &inter)
                       : PMPI_Intercomm_create(current, part.joins[0], bridge, 1, kTag, &inter);
  MPI_Comm merged = MPI_COMM_NULL;
  if (code == MPI_SUCCESS) code = PMPI_Intercomm_merge(inter, replacement ? 1 : 0, &merged);
  for (MPI_Comm* used : {&inter, &several, &bridge})
    if (code == MPI_SUCCESS) code = free_comm(*used);
  if (code == MPI_SUCCESS && current != part.before.all) code = free_comm(current);
  current = merged;
  return code;
}

/// `all` without those that are gone, in the same order.
tl::expected<MPI_Comm, cppc_status> remaining(MPI_Comm all, std::span<const int> gone) {
  int size = 0;
  if (auto known = check(PMPI_Comm_size(all, &size), "cannot rebuild the communicator of all ranks"); !known)
    return tl::unexpected(known.error());
  std::vector<int> members;
  for (int rank = 0; rank < size; ++rank)
    if (std::find(gone.begin(), gone.end(), rank) == gone.end()) members.push_back(rank);
  return some_of(all, members, kTag);
}

}  // namespace

tl::expected<JobComms, cppc_status> join(const Part& part) {
  MPI_Comm current = part.before.all;
  const bool replacement = current == MPI_COMM_NULL;
  if (!replacement && !part.gone.empty()) {
    auto left = remaining(current, part.gone);
    if (!left) return tl::unexpected(left.error());
    current = *left;
  }
  // None come when a node without ranks is evacuated.
  int code = part.joins.empty() ? MPI_SUCCESS : join_replacements(part, replacement, current);
  JobComms after{.ranks = part.ranks};
  const int key = part.agent ? part.ranks + part.place : part.place;
  if (code == MPI_SUCCESS) code = PMPI_Comm_split(current, part.leaves ? MPI_UNDEFINED : 0, key, &after.all);
  // Free, never disconnect: a disconnect is a fence over daemons that may have forgotten one of the jobs.
  if (code == MPI_SUCCESS && current != part.before.all) code = free_comm(current);
  MPI_Comm before = part.before.all;
  if (code == MPI_SUCCESS && after.all != MPI_COMM_NULL) code = split(part.agent, key, after);
  if (code == MPI_SUCCESS && part.gone.empty()) code = free_comm(before);
  if (auto joined = check(code, "cannot rebuild the communicator of all ranks"); !joined)
    return tl::unexpected(joined.error());
  return after;
}

}  // namespace cppc::migration
