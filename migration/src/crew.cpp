#include "crew.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

namespace cppc::migration {
namespace {

constexpr int kTag = 0x4350;

tl::expected<void, cppc_status> check(int code, const char* what) {
  if (code == MPI_SUCCESS) return {};
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  PMPI_Error_string(code, text.data(), &length);
  spdlog::error("{}: {}", what, text.data());
  return tl::unexpected(CPPC_ERR_MPI);
}

/// Errors of these communicators come back as codes: the caller decides what they cost.
void return_errors(MPI_Comm comm) { PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN); }

std::string host_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  PMPI_Get_processor_name(name.data(), &length);
  return name.data();
}

/// The lodging that the agent of this node offers, known to all processes of the node.
tl::expected<Lodging, cppc_status> find_lodging(const Lodging& offered) {
  MPI_Comm node = MPI_COMM_NULL;
  if (auto made = check(PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
                        "cannot find the processes of this node");
      !made)
    return tl::unexpected(made.error());
  int size = 0;
  PMPI_Comm_size(node, &size);
  std::vector<Lodging> offers(static_cast<std::size_t>(size));
  const int code = PMPI_Allgather(&offered, sizeof offered, MPI_BYTE, offers.data(), sizeof offered, MPI_BYTE, node);
  PMPI_Comm_free(&node);
  if (auto gathered = check(code, "cannot meet the processes of this node"); !gathered)
    return tl::unexpected(gathered.error());
  const auto found = std::find_if(offers.begin(), offers.end(), [](const Lodging& one) { return one.agent >= 0; });
  if (found == offers.end()) {
    spdlog::error("no cppc-agent runs on node {}; start the program with cppc-run", host_name());
    return tl::unexpected(CPPC_ERR_NOT_FOUND);
  }
  return *found;
}

}  // namespace

tl::expected<Headcount, cppc_status> count_heads(bool is_agent) {
  int size = 0;
  int me = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  PMPI_Comm_rank(MPI_COMM_WORLD, &me);
  const int mine = is_agent ? 1 : 0;
  Headcount heads;
  if (auto summed = check(PMPI_Allreduce(&mine, &heads.agents, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), "cannot meet");
      !summed)
    return tl::unexpected(summed.error());
  heads.ranks = size - heads.agents;
  if (is_agent != (me >= heads.ranks)) {
    spdlog::error("process {} of {} is in the place of {}: agents come after the {} ranks of the application", me, size,
                  is_agent ? "a rank" : "an agent", heads.ranks);
    return tl::unexpected(CPPC_ERR_MISMATCH);
  }
  if (is_agent) heads.agent = me - heads.ranks;
  return heads;
}

tl::expected<Muster, cppc_status> muster(const Headcount& heads, const Lodging& offered) {
  auto lodging = find_lodging(offered);
  if (!lodging) return tl::unexpected(lodging.error());
  Muster result;
  result.lodging = *lodging;
  result.agents = heads.agents;
  result.crew.ranks = heads.ranks;
  const std::array<int, 2> mine{lodging->agent, static_cast<int>(getpid())};
  const auto size = static_cast<std::size_t>(heads.ranks + heads.agents);
  std::vector<std::array<int, 2>> everybody(size);
  int me = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &me);
  int code = PMPI_Allgather(mine.data(), 2, MPI_INT, everybody.data(), 2, MPI_INT, MPI_COMM_WORLD);
  if (code == MPI_SUCCESS) code = PMPI_Comm_dup(MPI_COMM_WORLD, &result.crew.all);
  if (code == MPI_SUCCESS) code = PMPI_Comm_split(result.crew.all, heads.agent >= 0 ? 1 : 0, me, &result.crew.own);
  if (auto met = check(code, "the ranks and agents of the job cannot meet"); !met) return tl::unexpected(met.error());
  return_errors(result.crew.all);
  for (int rank = 0; rank < heads.ranks; ++rank) {
    result.agent_of.push_back(everybody[static_cast<std::size_t>(rank)][0]);
    result.pid_of.push_back(everybody[static_cast<std::size_t>(rank)][1]);
  }
  return result;
}

namespace {

/// One group of newcomers and everybody who is there already become one communicator, the newcomers last.
int join_group(const Part& part, int group, MPI_Comm& current) {
  const bool newcomer = part.before.all == MPI_COMM_NULL && part.group == group;
  MPI_Comm inter = MPI_COMM_NULL;
  int code = newcomer ? PMPI_Intercomm_create(MPI_COMM_WORLD, 0, part.bridge, 0, kTag, &inter)
                      : PMPI_Intercomm_create(current, part.joins[static_cast<std::size_t>(group)],
                                              part.group == group ? part.bridge : MPI_COMM_NULL, 1, kTag, &inter);
  if (code != MPI_SUCCESS) return code;
  MPI_Comm merged = MPI_COMM_NULL;
  code = PMPI_Intercomm_merge(inter, newcomer ? 1 : 0, &merged);
  PMPI_Comm_free(&inter);
  if (current != part.before.all) PMPI_Comm_free(&current);
  current = merged;
  return code;
}

}  // namespace

tl::expected<Crew, cppc_status> join(const Part& part) {
  MPI_Comm current = part.before.all;
  int code = MPI_SUCCESS;
  const bool newcomer = current == MPI_COMM_NULL;
  for (int group = newcomer ? part.group : 0; group < static_cast<int>(part.joins.size()) && code == MPI_SUCCESS;
       ++group)
    code = join_group(part, group, current);
  Crew after{.ranks = part.ranks};
  const int key = part.agent ? part.ranks + part.place : part.place;
  if (code == MPI_SUCCESS) code = PMPI_Comm_split(current, part.leaves ? MPI_UNDEFINED : 0, key, &after.all);
  // Free, never disconnect: a disconnect is a fence over daemons that may have forgotten one of the jobs.
  if (current != part.before.all && current != MPI_COMM_NULL) PMPI_Comm_free(&current);
  if (auto bridge = part.bridge; bridge != MPI_COMM_NULL) PMPI_Comm_free(&bridge);
  Crew before = part.before;
  if (after.all != MPI_COMM_NULL) {
    return_errors(after.all);
    if (code == MPI_SUCCESS) code = PMPI_Comm_split(after.all, part.agent ? 1 : 0, key, &after.own);
  }
  if (auto joined = check(code, "cannot rebuild the communicator of all ranks"); !joined)
    return tl::unexpected(joined.error());
  if (before.all != MPI_COMM_NULL) PMPI_Comm_free(&before.all);
  return after;
}

}  // namespace cppc::migration
