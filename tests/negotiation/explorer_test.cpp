// All interleavings of the protocol's real functions in small jobs: nobody passes M, all stop at the same M, and
// whatever happens there is a way to an end.

#include "explorer.hpp"

#include <gtest/gtest.h>

#include <iostream>

namespace {

using namespace cppc::negotiation::test;

struct Case {
  const char* name;
  Scenario scenario;
};

void PrintTo(const Case& which, std::ostream* out) { *out << which.name; }

class AllInterleavings : public testing::TestWithParam<Case> {};

TEST_P(AllInterleavings, AgreeOnOnePointThatNobodyHasPassed) {
  const Model model(GetParam().scenario);
  const Exploration found = Explorer(model).run();
  std::cout << GetParam().name << ": " << found.states << " states, good ends: " << found.ends_decided << " decided, "
            << found.ends_cancelled << " not\n";
  EXPECT_FALSE(found.violation) << *found.violation;
  EXPECT_FALSE(found.dead_end);
  EXPECT_GT(found.ends_decided, 0U);
  EXPECT_GT(found.ends_cancelled, 0U);
}

Scenario job(std::vector<int> node_of_rank, int nodes, Messages messages, int last) {
  Scenario scenario;
  scenario.node_of_rank = std::move(node_of_rank);
  scenario.nodes = nodes;
  scenario.messages = messages;
  scenario.last = last;
  return scenario;
}

Scenario as_chain(Scenario scenario) {
  scenario.chain = true;
  return scenario;
}

Scenario with_cancel(Scenario scenario) {
  scenario.give_up = true;
  return scenario;
}

Scenario with_epochs(Scenario scenario, int epochs) {
  scenario.epochs = epochs;
  return with_cancel(scenario);
}

Scenario with_rung(Scenario scenario, int nodes) {
  scenario.rung = nodes;
  return scenario;
}

Scenario with_flaw(Scenario scenario, Flaw flaw) {
  scenario.flaw = flaw;
  return scenario;
}

// A way out by cancelling hides a deadlock, and so does a rank's end; so there are jobs that are long enough and cannot
// be cancelled, and others that can.
const Case cases[] = {
    {"OneRank", with_cancel(job({0}, 1, Messages::none, 4))},
    {"TwoRanksOneNode", with_cancel(job({0, 0}, 1, Messages::none, 4))},
    {"ThreeRanksOneNodeExchange", with_cancel(job({0, 0, 0}, 1, Messages::exchange, 3))},
    {"FourRanksOneNodeExchange", job({0, 0, 0, 0}, 1, Messages::exchange, 2)},
    {"TwoNodes", job({0, 1}, 2, Messages::none, 4)},
    {"TwoNodesCancel", with_cancel(job({0, 1}, 2, Messages::none, 2))},
    {"TwoNodesExchange", job({0, 1}, 2, Messages::exchange, 4)},
    {"TwoNodesExchangeCancel", with_cancel(job({0, 1}, 2, Messages::exchange, 3))},
    {"OneNodeAgain", with_epochs(job({0, 0}, 1, Messages::exchange, 3), 2)},
    {"TwoNodesAgain", with_epochs(job({1}, 2, Messages::none, 3), 2)},
    {"TwoNodesPipeline", job({0, 1}, 2, Messages::pipeline, 4)},
    {"ThreeRanksTwoNodesExchange", job({0, 1, 1}, 2, Messages::exchange, 3)},
    {"ThreeRanksTwoNodesPipeline", job({1, 0, 1}, 2, Messages::pipeline, 2)},
    {"LeaderWithoutRanks", with_cancel(job({1, 1}, 2, Messages::exchange, 2))},
    {"AgentWithoutRanks", with_cancel(job({0, 0}, 2, Messages::none, 2))},
    {"ThreeNodesExchange", with_rung(job({1, 2}, 3, Messages::exchange, 3), 1)},
    {"ThreeNodesCancel", with_rung(with_cancel(job({2}, 3, Messages::none, 2)), 3)},
    {"ChainOfThreeNodes", with_rung(as_chain(job({1, 2}, 3, Messages::exchange, 3)), 1)},
    {"ChainOfThreeNodesCancel", with_rung(as_chain(with_cancel(job({2}, 3, Messages::none, 2))), 3)},
};
INSTANTIATE_TEST_SUITE_P(Jobs, AllInterleavings, testing::ValuesIn(cases),
                         [](const auto& info) { return std::string(info.param.name); });

// The explorer finds what is wrong with protocols that look right.

TEST(Explorer, FindsTheDeadlockOfFixingBeforeOthersHaveJoined) {
  const Model model(with_flaw(job({0, 1}, 2, Messages::exchange, 4), Flaw::fix_when_joined));
  const Exploration found = Explorer(model).run();
  EXPECT_FALSE(found.violation);
  EXPECT_TRUE(found.dead_end);
}

class FlawIsFound : public testing::TestWithParam<Case> {};

TEST_P(FlawIsFound, AsAViolation) { EXPECT_TRUE(Explorer(Model(GetParam().scenario)).run().violation); }

const Case flaws[] = {
    {"JoinEarly", with_flaw(job({0, 0}, 1, Messages::none, 4), Flaw::join_early)},
    {"CloseEarly", with_flaw(job({0, 1}, 2, Messages::none, 4), Flaw::close_early)},
    {"DecideEarly", with_flaw(job({0, 1}, 2, Messages::none, 4), Flaw::decide_early)},
};
INSTANTIATE_TEST_SUITE_P(Explorer, FlawIsFound, testing::ValuesIn(flaws),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
