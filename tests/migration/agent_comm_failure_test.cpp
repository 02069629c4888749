// A call of MPI that fails in one agent is never taken for consent, whatever the agents are about to agree on. Run
// under mpirun; every process is an agent, and each has its call fail in turn.

#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "agent/agent_comm.hpp"
#include "agent/agent_tree.hpp"
#include "cppc/cut_agent.hpp"
#include "cppc/negotiation.hpp"
#include "mpi_failures.hpp"
#include "mpi_strike.hpp"

namespace cppc::migration {
namespace {

using namespace std::chrono_literals;
using test::anywhere;
using test::Strike;

/// Stands in for the controller, which has the others give up when an agent says that MPI has failed there.
class Controller {
 public:
  void abandon() {
    for (int other = 0; other < test::size_of(); ++other)
      if (other != test::own_rank()) MPI_Send(nullptr, 0, MPI_BYTE, other, 0, comm());
    abandoned_ = true;
  }
  [[nodiscard]] bool abandoned() {
    int there = 0;
    if (!abandoned_) MPI_Iprobe(MPI_ANY_SOURCE, 0, comm(), &there, MPI_STATUS_IGNORE);
    if (there != 0) await_abandoned();
    return abandoned_;
  }
  void await_abandoned() {
    if (!abandoned_) MPI_Recv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, 0, comm(), MPI_STATUS_IGNORE);
    abandoned_ = true;
  }

 private:
  static MPI_Comm comm() {
    static const MPI_Comm all = [] {
      MPI_Comm made = MPI_COMM_NULL;
      MPI_Comm_dup(MPI_COMM_WORLD, &made);
      return made;
    }();
    return all;
  }
  bool abandoned_ = false;
};

/// An agent in one attempt to agree; tags are those of no other attempt.
struct Agent {
  explicit Agent(Controller& controller) {
    static int attempts = 0;
    std::vector<int> ranks(static_cast<std::size_t>(test::size_of()));
    std::iota(ranks.begin(), ranks.end(), 0);
    tag = 10 * ++attempts;
    listen = [this, &controller] {
      if (controller.abandoned()) comm->break_off();
    };
    comm = std::make_unique<AgentComm>(AgentComm::Agents{MPI_COMM_WORLD, ranks, test::own_rank()}, tag, listen);
  }
  int tag;
  std::function<void()> listen;
  std::unique_ptr<AgentComm> comm;
};

/// An agent that agrees has heard all.
bool add_up(Agent& agent) {
  std::array<std::int64_t, 2> sums{1, agent.comm->rank()};
  const bool done = agent.comm->allreduce(sums, std::plus<>());
  const int size = agent.comm->size();
  EXPECT_EQ(sums, done ? (std::array<std::int64_t, 2>{size, size * (size - 1) / 2})
                       : (std::array<std::int64_t, 2>{1, agent.comm->rank()}));
  return done;
}

bool meet(Agent& agent) { return agent.comm->barrier(); }

bool pass_on(Agent& agent) {
  AgentComm& comm = *agent.comm;
  if (!comm.send((comm.rank() + 1) % comm.size(), agent.tag + 1, std::vector<std::byte>(3))) return false;
  const auto message = comm.receive((comm.rank() + comm.size() - 1) % comm.size(), agent.tag + 1);
  EXPECT_EQ(message.has_value(), !comm.broken());
  EXPECT_EQ(message.value_or(std::vector<std::byte>(3)).size(), 3U);
  return message.has_value();
}

/// Of nodes without ranks: what is decided depends on the agents alone. An error is no consent, even if the decision is
/// known and in force here.
template <class Side>
bool decide(Side&& side, Agent& agent) {
  EXPECT_TRUE(side.start(1, 1h, {}));
  for (;;) {
    const auto state = side.poll();
    if (!state) {
      EXPECT_TRUE(agent.comm->broken());
      EXPECT_EQ(state.error(), CPPC_ERR_LOST);
      return false;
    }
    if (*state == Side::State::decided || *state == Side::State::cancelled) return *state == Side::State::decided;
    agent.listen();
    std::this_thread::sleep_for(200us);
  }
}

bool agree_on_a_point(Agent& agent) {
  negotiation::Page page = negotiation::Page::create(agent.comm->size()).value();
  AgentTree tree(*agent.comm, agent.tag + 2);
  return decide(negotiation::AgentSide(page, tree), agent);
}

bool agree_on_a_cut(Agent& agent) {
  negotiation::Page page = negotiation::Page::create(agent.comm->size()).value();
  AgentTree tree(*agent.comm, agent.tag + 2);
  negotiation::TreeRounds rounds(tree);
  return decide(negotiation::CutAgent(page, rounds), agent);
}

struct Agreement {
  const char* name;
  bool (*reach)(Agent&);
  bool common;  ///< nobody reaches it without what all do after their first call
};

void PrintTo(const Agreement& agreement, std::ostream* out) { *out << agreement.name; }

const std::vector<Agreement> kAgreements{{"Sum", add_up, false},
                                         {"Barrier", meet, false},
                                         {"Message", pass_on, false},
                                         {"MigrationPoint", agree_on_a_point, true},
                                         {"Cut", agree_on_a_cut, true}};

/// Once it has failed every call does, since nobody knows how far the others have come.
void expect_no_more_consent(Agent& agent) {
  EXPECT_TRUE(agent.comm->broken());
  std::array<std::int64_t, 1> value{7};
  EXPECT_FALSE(agent.comm->allreduce(value, std::plus<>()));
  EXPECT_EQ(value[0], 7);
  EXPECT_FALSE(agent.comm->barrier());
  EXPECT_FALSE(agent.comm->send(0, agent.tag, {}));
  EXPECT_FALSE(agent.comm->poll(0, agent.tag));
  EXPECT_FALSE(agent.comm->receive(0, agent.tag));
  AgentTree tree(*agent.comm, agent.tag + 3);
  EXPECT_EQ(tree.send(0, {1}).error(), CPPC_ERR_LOST);
  EXPECT_EQ(tree.receive(0).error(), CPPC_ERR_LOST);
}

/// Whether there is such a call.
bool fail_in(int striker, const std::string& function, int nth, const Agreement& agreement) {
  SCOPED_TRACE("call " + std::to_string(nth) + " in agent " + std::to_string(striker));
  Controller controller;
  Agent agent(controller);
  const bool fails_here = test::own_rank() == striker;
  std::optional<Strike> strike;
  MPI_Barrier(MPI_COMM_WORLD);
  if (fails_here) strike.emplace(function, nth);
  const bool reached = agreement.reach(agent);
  const bool struck = strike && strike->done();
  if (fails_here) {
    EXPECT_EQ(reached, !struck);
    EXPECT_EQ(agent.comm->error().find(function.substr(1) + " has failed") != std::string::npos, struck)
        << agent.comm->error();
    if (struck) expect_no_more_consent(agent);
    controller.abandon();
  } else {
    EXPECT_TRUE(agent.comm->error().empty()) << agent.comm->error();
    controller.await_abandoned();
  }
  const bool somebody_agreed = anywhere(reached);
  EXPECT_FALSE(nth == 1 && somebody_agreed && agreement.common);
  return anywhere(struck);
}

class AgentMpiFails : public testing::TestWithParam<std::tuple<std::string, Agreement>> {};

/// How often agents look for a message is a matter of time.
constexpr int kCalls = 6;

TEST_P(AgentMpiFails, IsNoConsentInAnyAgent) {
  const auto& [function, agreement] = GetParam();
  for (int striker = 0; striker < test::size_of(); ++striker) {
    EXPECT_TRUE(fail_in(striker, function, 1, agreement)) << function << " is not called";
    for (int nth = 2; nth <= kCalls && fail_in(striker, function, nth, agreement);) ++nth;
  }
}

std::string name_of(const testing::TestParamInfo<AgentMpiFails::ParamType>& info) {
  return std::get<0>(info.param) + '_' + std::get<1>(info.param).name;
}
INSTANTIATE_TEST_SUITE_P(Each, AgentMpiFails,
                         testing::Combine(testing::ValuesIn(test::kMessages), testing::ValuesIn(kAgreements)), name_of);

TEST(AgentMpi, AgreesWhenNoCallFails) {
  for (const Agreement& agreement : kAgreements) {
    SCOPED_TRACE(agreement.name);
    Controller controller;
    Agent agent(controller);
    EXPECT_TRUE(agreement.reach(agent));
    EXPECT_FALSE(agent.comm->broken());
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// Such as the text of what has failed.
TEST(AgentMpi, FailsWithoutATextWhenThereIsNone) {
  Controller controller;
  Agent agent(controller);
  const int nobody = test::size_of();
  AgentComm comm({MPI_COMM_WORLD, {test::own_rank(), nobody}, 0}, agent.tag, [] {});
  const Strike strike("PMPI_Error_string");
  EXPECT_FALSE(comm.send(1, agent.tag, {}));
  EXPECT_TRUE(strike.done());
  EXPECT_TRUE(comm.broken());
  EXPECT_EQ(comm.error(), "MPI_Isend has failed among the agents: ");
}

}  // namespace
}  // namespace cppc::migration
