// Calls of MPI that fail where all processes of a job meet, or where replacements are started. Run under mpirun with
// four processes. Here a call fails in all of them: in one alone, the others would wait in MPI, and the controller ends
// the job.

#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "agent/spawn.hpp"
#include "job_comms.hpp"
#include "mpi_failures.hpp"
#include "mpi_strike.hpp"

namespace cppc::migration {
namespace {

using test::anywhere;
using test::Strike;

MPI_Comm everybody() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  return comm;
}

bool count(const std::function<void()>& strike) {
  strike();
  return count_members(true).has_value();
}

/// Nobody is a rank.
bool gather(const std::function<void()>& strike) {
  const int me = test::own_rank();
  strike();
  return gather_members({.ranks = 0, .agents = test::size_of(), .agent = me}, {.agent_pid = getpid(), .agent = me})
      .has_value();
}

/// Two agents bring a replacement each.
bool join_replacements(const std::function<void()>& strike) {
  const int me = test::own_rank();
  const std::array<int, 2> joins{0, 1};
  Part part{.joins = joins, .group = me % 2, .agent = me < 2, .place = me % 2, .ranks = 2};
  MPI_Comm_split(MPI_COMM_WORLD, me < 2 ? 0 : MPI_UNDEFINED, me, &part.before.all);
  MPI_Comm_split(MPI_COMM_WORLD, part.group, me, &part.bridge);
  strike();
  return join(part).has_value();
}

/// The last agent has been lost.
bool go_on_without_one(const std::function<void()>& strike) {
  const int me = test::own_rank();
  const std::array<int, 1> gone{test::size_of() - 1};
  const Part part{.before = {.all = everybody()}, .gone = gone, .agent = true, .place = me};
  if (me == gone[0]) return true;
  strike();
  return join(part).has_value();
}

struct Meeting {
  const char* name;
  bool (*hold)(const std::function<void()>& strike);  ///< strike(): the calls that may fail follow
  std::vector<std::string> functions;
  int calls = 100;  ///< of one function, that all processes make between the same others
};

void PrintTo(const Meeting& meeting, std::ostream* out) { *out << meeting.name; }

const std::vector<Meeting> kMeetings{{"Count", count, test::kCount},
                                     {"Gather", gather, test::kGather},
                                     {"JoinReplacements", join_replacements, test::kJoin, 4},
                                     {"GoOnWithoutOne", go_on_without_one, test::kLeave}};

/// False: there is no such call any more.
bool fail_call(const Meeting& meeting, const std::string& function, int nth) {
  SCOPED_TRACE(function + ' ' + std::to_string(nth));
  std::unique_ptr<Strike> strike;
  const bool held = meeting.hold([&] { strike = std::make_unique<Strike>(function, nth); });
  const bool struck = strike && strike->done();
  EXPECT_EQ(held, !struck || std::ranges::count(test::kHarmless, function) != 0);
  return anywhere(struck);
}

class MeetingMpiFails : public testing::TestWithParam<Meeting> {};

TEST_P(MeetingMpiFails, IsAnErrorWhicheverCallItIs) {
  for (const std::string& function : GetParam().functions) {
    int calls = 0;
    while (calls < GetParam().calls && fail_call(GetParam(), function, calls + 1)) ++calls;
    EXPECT_GT(calls, 0) << function << " is not called";
  }
}

INSTANTIATE_TEST_SUITE_P(Each, MeetingMpiFails, testing::ValuesIn(kMeetings),
                         [](const auto& info) { return info.param.name; });

const std::vector<std::pair<std::string, int>> kOfSpawn{
    {"PMPI_Info_create", 1}, {"PMPI_Info_set", 1}, {"PMPI_Info_set", 2}, {"PMPI_Comm_spawn_multiple", 1}};

TEST(ReplacementMpiFails, IsNoReplacement) {
  const Recipe recipe{.program = "/proc/self/exe", .directory = "/", .arguments = {"program"}};
  for (const auto& [function, nth] : kOfSpawn) {
    SCOPED_TRACE(function);
    const Strike strike(function, nth);
    EXPECT_EQ(spawn("localhost", false, {{recipe, {}}}).error(), CPPC_ERR_SYSTEM);
    EXPECT_TRUE(strike.done());
  }
}

/// Functions of MPI that the files of an archive refer to.
std::set<std::string> calls_of(const std::string& archive) {
  const std::unique_ptr<FILE, int (*)(FILE*)> names(popen((CPPC_NM " -u " + archive).c_str(), "r"), pclose);
  std::set<std::string> found;
  std::array<char, 4096> line{};
  static const std::regex call("\\bP?MPI_[A-Za-z_]+");
  while (fgets(line.data(), line.size(), names.get()) != nullptr)
    if (std::cmatch match; std::regex_search(line.data(), match, call)) found.insert(match.str());
  return found;
}

TEST(AgentMpiCalls, AreAllTried) {
  if (test::own_rank() != 0) return;
  std::set<std::string> tried{"PMPI_Error_string"};  // agent_comm_failure_test.cpp
  for (const auto& list : {test::kMessages, test::kCount, test::kGather, test::kJoin, test::kLeave})
    tried.insert(list.begin(), list.end());
  for (const auto& [function, nth] : kOfSpawn) tried.insert(function);
  // When an agent starts and ends, and after replacements have been started: tests/end-to-end/mpi_failure_test.cpp.
  tried.insert({"PMPI_Init", "PMPI_Barrier", "PMPI_Finalize", "PMPI_Info_free"});
  tried.insert("PMPI_Abort");  // what could one do?
  std::set<std::string> called = calls_of(CPPC_AGENT_SIDE);
  called.merge(calls_of(CPPC_MIGRATION_COMMON));
  EXPECT_EQ(called, tried);
}

}  // namespace
}  // namespace cppc::migration
