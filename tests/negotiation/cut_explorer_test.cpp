// All states that small jobs can come to on their way to a cut.

#include <gtest/gtest.h>

#include <deque>
#include <unordered_map>

#include "cut_model.hpp"

namespace {

using namespace cppc::negotiation;
using namespace cppc::negotiation::test;

constexpr unsigned stable_rounds = 1;

struct Exploration {
  std::size_t states = 0;
  std::size_t cuts = 0;       ///< ends in which all ranks are at a cut
  std::size_t cancelled = 0;  ///< and others
  std::optional<std::string> violation;
  bool dead_end = false;  ///< from some state no end can be reached
};

/// Visits every state: is it right, and does a way lead from it to an end? `actors` have taken these steps before.
Exploration explore(const CutModel& model, const std::vector<int>& actors = {}, bool give_up = false,
                    unsigned withdrawal_rounds = never_withdraw) {
  Exploration found;
  std::unordered_map<std::string, std::size_t> known;
  std::deque<CutState> open;
  std::vector<std::vector<std::size_t>> sources;
  std::vector<std::size_t> ends;
  const auto add = [&](CutState state, std::size_t from) {
    const auto [place, is_new] = known.emplace(model.key(state), sources.size());
    if (is_new) {
      sources.emplace_back();
      open.push_back(std::move(state));
    }
    sources[place->second].push_back(from);
  };
  CutState first = model.initial(stable_rounds, withdrawal_rounds, withdrawal_rounds);
  for (const int actor : actors) model.step(first, actor);
  add(first, 0);
  for (std::size_t at = 0; !open.empty() && !found.violation; ++at) {
    const CutState state = std::move(open.front());
    open.pop_front();
    const bool cut = model.all_at_cut(state);
    if (model.agents_done(state) && (cut || model.all_finished(state))) {
      ++(cut ? found.cuts : found.cancelled);
      ends.push_back(at);
    }
    for (int actor = 0; actor < model.actors(); ++actor) {
      CutState then = state;
      if (model.step(then, actor)) add(std::move(then), at);
      found.violation = model.violation();
      if (found.violation) break;
    }
    for (std::size_t i = 0; give_up && i < state.agents.size(); ++i) {
      if (state.agents[i].give_up) continue;
      CutState then = state;
      then.agents[i].give_up = true;
      add(std::move(then), at);
    }
  }
  found.states = sources.size();
  std::vector<bool> reaches(sources.size());
  for (const std::size_t end : ends) reaches[end] = true;
  for (std::size_t met = 0; met < ends.size(); ++met) {
    for (const std::size_t from : sources[ends[met]]) {
      if (reaches[from]) continue;
      reaches[from] = true;
      ends.push_back(from);
    }
  }
  found.dead_end = ends.size() != sources.size();
  return found;
}

// ------------------------------------------------------------------------------------------------------- programs

/// All do nothing but collective operations of the world.
CutProgram world() {
  CutProgram program(2);
  for (int i = 0; i < 3; ++i) program.collective(0);
  program.finish();
  return program;
}

/// The first member does not wait for the other one.
CutProgram early() {
  CutProgram program(2);
  for (int i = 0; i < 3; ++i) program.collective(0, {0});
  program.finish();
  return program;
}

/// Rank 0 has to come to the operation of 0 and 1 by way of one of 0 and 2.
CutProgram overlapping() {
  CutProgram program(3, {{0, 1}, {0, 2}});
  program.collective(2);
  program.collective(1, {1});
  program.collective(2);
  program.finish();
  return program;
}

/// Rank 1 needs a message to come to the operation of 1 and 2, from rank 0, which before that has one with rank 3.
/// Ranks 1 and 2 are there already, and so wait, when the agents begin.
const std::vector<int> waiting{2, 2, 1, 1, 4};
CutProgram chain_of(bool synchronous, bool any_source) {
  CutProgram program(4, {{0, 3}, {1, 2}});
  program.collective(1, {3});
  if (synchronous)
    program.message(1, 0, true);
  else
    program.message(0, 1, false, any_source);
  program.collective(2, {2});
  program.finish();
  return program;
}

CutProgram chain() { return chain_of(false, false); }
CutProgram chain_to_any() { return chain_of(false, true); }
CutProgram chain_of_sends() { return chain_of(true, false); }

/// Non-blocking operations of two communicators, begun in different order.
CutProgram crossed() {
  CutProgram program(2, {{0, 1}});
  const int other = 1;
  program.begin(0, 0);
  program.begin(other, 0);
  program.begin(other, 1);
  program.begin(0, 1);
  program.next(0);
  program.next(other);
  for (const int rank : {0, 1}) {
    program.wait(0, program.count(0) - 1, rank);
    program.wait(other, 0, rank);
  }
  program.finish();
  return program;
}

/// A communicator is made, used and freed.
CutProgram made() {
  CutProgram program(2);
  const int child = program.create(0, {0, 1});
  program.collective(child, {0});
  program.destroy(child);
  program.finish();
  return program;
}

/// A communicator is freed, of which rank 2 has no part.
CutProgram freed() {
  CutProgram program(3, {{0, 1}, {0, 2}});
  program.destroy(1);
  program.collective(2, {2});
  program.finish();
  return program;
}

/// No collective operation at all but the end.
CutProgram messages() {
  CutProgram program(3);
  program.message(0, 1);
  program.message(1, 2, true);
  program.message(2, 0, true, true);
  program.finish();
  return program;
}

CutProgram locks() {
  CutProgram program(2);
  program.locked(0);
  program.locked(1);
  program.collective(0);
  program.finish();
  return program;
}

struct Job {
  const char* name;
  CutProgram (*program)();
  std::vector<int> node_of_rank;
  int nodes;
  std::vector<int> before{};  ///< steps
};

class EveryState : public testing::TestWithParam<Job> {};

TEST_P(EveryState, LeadsToACutOrAnEnd) {
  const Job& job = GetParam();
  const auto found = explore(CutModel(job.program(), job.node_of_rank, job.nodes), job.before);
  EXPECT_FALSE(found.violation) << *found.violation;
  EXPECT_FALSE(found.dead_end);
  EXPECT_GT(found.cuts, 0U);
  EXPECT_GT(found.cancelled, 0U);
  RecordProperty("states", static_cast<int>(found.states));
  std::cout << found.states << " states, " << found.cuts << " cuts, " << found.cancelled << " cancelled\n";
}

INSTANTIATE_TEST_SUITE_P(Job, EveryState,
                         testing::Values(Job{"world_on_one", world, {0, 0}, 1}, Job{"world_on_two", world, {0, 1}, 2},
                                         Job{"early_on_one", early, {0, 0}, 1}, Job{"early_on_two", early, {0, 1}, 2},
                                         Job{"overlapping", overlapping, {0, 0, 0}, 1},
                                         Job{"crossed_on_one", crossed, {0, 0}, 1},
                                         Job{"crossed_on_two", crossed, {0, 1}, 2}, Job{"made_on_one", made, {0, 0}, 1},
                                         Job{"made_on_two", made, {0, 1}, 2}, Job{"freed", freed, {0, 0, 0}, 1},
                                         Job{"chain", chain, {0, 0, 0, 0}, 1, waiting},
                                         Job{"chain_to_any", chain_to_any, {0, 0, 0, 0}, 1, waiting},
                                         Job{"chain_of_sends", chain_of_sends, {0, 0, 0, 0}, 1, waiting},
                                         Job{"messages", messages, {0, 0, 0}, 1}, Job{"locks", locks, {0, 0}, 1}),
                         [](const auto& info) { return std::string(info.param.name); });

/// Operations are withdrawn whenever a round has changed nothing.
class EveryStateWithWithdrawals : public testing::TestWithParam<Job> {};

TEST_P(EveryStateWithWithdrawals, LeadsToACutOrAnEnd) {
  const Job& job = GetParam();
  const auto found = explore(CutModel(job.program(), job.node_of_rank, job.nodes), job.before, false, 1);
  EXPECT_FALSE(found.violation) << *found.violation;
  EXPECT_FALSE(found.dead_end);
  const auto without = explore(CutModel(job.program(), job.node_of_rank, job.nodes), job.before);
  EXPECT_GT(found.cuts, without.cuts) << "nothing has been withdrawn";
  std::cout << found.states << " states, " << found.cuts << " cuts\n";
}

INSTANTIATE_TEST_SUITE_P(Job, EveryStateWithWithdrawals,
                         testing::Values(Job{"world_on_two", world, {0, 1}, 2}, Job{"early_on_one", early, {0, 0}, 1}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(EveryStateOf, AJobWhoseAgentsGiveUpWhileOperationsAreWithdrawnLeadsToACutOrAnEnd) {
  const auto found = explore(CutModel(world(), {0, 0}, 1), {}, true, 1);
  EXPECT_FALSE(found.violation) << *found.violation;
  EXPECT_FALSE(found.dead_end);
  EXPECT_GT(found.cancelled, 0U);
  std::cout << found.states << " states\n";
}

TEST(EveryStateOf, AJobInWhichAgentsGiveUpLeadsToACutOrAnEnd) {
  const auto found = explore(CutModel(early(), {0, 1}, 2), {}, true);
  EXPECT_FALSE(found.violation) << *found.violation;
  EXPECT_FALSE(found.dead_end);
  EXPECT_GT(found.cancelled, 0U);
  std::cout << found.states << " states\n";
}

TEST(EveryStateOf, AJobWhoseCountsBecomeVisibleLateIsRight) {
  const auto found = explore(CutModel(early(), {0, 1}, 2, CutFlaw::count_late));
  EXPECT_FALSE(found.violation) << *found.violation;
  EXPECT_FALSE(found.dead_end);
}

struct Error {
  const char* name;
  CutFlaw flaw;
  CutProgram (*program)();
  std::vector<int> node_of_rank;
  std::vector<int> before{};  ///< steps
  unsigned withdrawal_rounds = never_withdraw;
};

class Errors : public testing::TestWithParam<Error> {};

TEST_P(Errors, AreFound) {
  const Error& error = GetParam();
  const auto found =
      explore(CutModel(error.program(), error.node_of_rank, 1 + std::ranges::max(error.node_of_rank), error.flaw),
              error.before, false, error.withdrawal_rounds);
  EXPECT_TRUE(found.violation || found.dead_end);
  std::cout << found.violation.value_or(found.dead_end ? "dead end" : "nothing") << '\n';
}

INSTANTIATE_TEST_SUITE_P(Flaw, Errors,
                         testing::Values(Error{"hold_those_behind", CutFlaw::hold_those_behind, early, {0, 0}},
                                         Error{"forget_waits", CutFlaw::forget_waits, chain, {0, 0, 0, 0}, waiting},
                                         Error{"forget_freed", CutFlaw::forget_freed, freed, {0, 0, 0}},
                                         Error{"decide_on_closing", CutFlaw::decide_on_closing, early, {0, 0}},
                                         Error{"keep_turn", CutFlaw::keep_turn, early, {0, 0}},
                                         Error{"hurry", CutFlaw::hurry, world, {0, 1}, {}, 1}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
