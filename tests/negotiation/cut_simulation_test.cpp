// Random programs whose ranks work at random speeds, and are brought to cuts again and again. Each run prints its seed;
// CPPC_TEST_SEED repeats one, CPPC_TEST_CUTS says how many cuts there are to be.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <random>

#include "cut_model.hpp"

namespace {

using namespace cppc::negotiation;
using namespace cppc::negotiation::test;

constexpr unsigned stable_rounds = 4;
constexpr unsigned withdrawal_rounds = 8;
constexpr int hang = 2'000'000;  ///< steps without an end
constexpr int least_cuts = 10'000;

unsigned long given(const char* variable, unsigned long otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoul(text, nullptr, 10) : otherwise;
}

struct Tally {
  int cuts = 0;
  int cancelled = 0;
  int programs = 0;
  unsigned long longest = 0;  ///< steps to a cut
};

class Simulation {
 public:
  Simulation(std::mt19937& random, CutFlaw flaw)
      : random_(&random), ranks_(2 + below(4)), nodes_(1 + below(3)), model_(make(flaw)) {
    state_ = model_.initial(stable_rounds, withdrawal_rounds, 64 * withdrawal_rounds);
    for (auto& weight : weights_) weight = 1 + below(20);
  }

  /// Brings the program to its end, with as many cuts as there is room for. What went wrong, if anything.
  std::optional<std::string> run(Tally& tally) {
    while (!model_.all_finished(state_)) {
      work(below(200));
      if (const auto wrong = agree(tally)) return wrong;
    }
    ++tally.programs;
    return std::nullopt;
  }

 private:
  int below(int limit) { return static_cast<int>((*random_)() % static_cast<unsigned>(limit)); }

  CutModel make(CutFlaw flaw) {
    std::vector<int> node_of_rank;
    for (int rank = 0; rank < ranks_; ++rank) node_of_rank.push_back(below(nodes_));
    return {random_program(*random_, ranks_, 50 + below(300)), node_of_rank, nodes_, flaw};
  }

  /// Undisturbed.
  void work(int steps) {
    for (int i = 0; i < steps; ++i) model_.step(state_, below(ranks_));
  }

  std::optional<std::string> agree(Tally& tally) {
    const bool gives_up = below(10) == 0;
    const int cancel_after = below(400);
    unsigned long steps = 0;
    for (int idle = 0; !model_.agents_done(state_);) {
      if (++steps > hang) return "no end of an agreement";
      if (gives_up && static_cast<int>(steps) == cancel_after)
        state_.agents[static_cast<std::size_t>(below(nodes_))].give_up = true;
      const int actor = below(model_.actors());
      if (actor < ranks_ && below(weights_[static_cast<std::size_t>(actor)]) != 0) continue;  // it is slow
      idle = model_.step(state_, actor) ? 0 : idle + 1;
      if (model_.violation()) return model_.violation();
      if (idle > 10000) return "nobody can do anything any more";
    }
    if (state_.arbiter.verdict().word.phase() == cut::Phase::decided) {
      for (int i = 0; i < hang && !model_.all_at_cut(state_); ++i) model_.step(state_, below(ranks_));
      if (!model_.all_at_cut(state_)) return "ranks do not see the cut";
      ++tally.cuts;
      tally.longest = std::max(tally.longest, steps);
    } else {
      ++tally.cancelled;
      if (!gives_up && std::ranges::none_of(state_.ranks, &CutRank::finishing)) return "given up without a reason";
    }
    model_.release(state_, static_cast<std::uint16_t>(++epoch_), stable_rounds, withdrawal_rounds);
    if (std::ranges::any_of(state_.ranks, &CutRank::finishing)) finish();
    return std::nullopt;
  }

  void finish() {
    for (int i = 0; i < hang && !model_.all_finished(state_); ++i) model_.step(state_, below(ranks_));
    EXPECT_TRUE(model_.all_finished(state_));
  }

  std::mt19937* random_;
  int ranks_;
  int nodes_;
  CutModel model_;
  CutState state_;
  std::array<int, 8> weights_{};
  int epoch_ = 1;
};

TEST(CutSimulation, EveryCutIsConsistentAndEveryProgramGoesOn) {
  const auto seed = static_cast<unsigned>(given("CPPC_TEST_SEED", std::random_device{}()));
  const auto wanted = static_cast<int>(given("CPPC_TEST_CUTS", least_cuts));
  std::cout << "CPPC_TEST_SEED=" << seed << std::endl;
  std::mt19937 random(seed);
  Tally tally;
  while (tally.cuts < wanted) {
    const auto wrong = Simulation(random, CutFlaw::none).run(tally);
    ASSERT_FALSE(wrong) << *wrong << " in program " << tally.programs;
  }
  std::cout << tally.programs << " programs, " << tally.cuts << " cuts, " << tally.cancelled
            << " given up, the longest took " << tally.longest << " steps\n";
}

class CutSimulationWith : public testing::TestWithParam<CutFlaw> {};

TEST_P(CutSimulationWith, SimulationFindsTheKnownError) {
  std::mt19937 random(1);
  Tally tally;
  std::optional<std::string> wrong;
  while (!wrong && tally.programs < 20000) wrong = Simulation(random, GetParam()).run(tally);
  ASSERT_TRUE(wrong);
  std::cout << *wrong << " after " << tally.cuts << " cuts\n";
}

INSTANTIATE_TEST_SUITE_P(Flaw, CutSimulationWith,
                         testing::Values(CutFlaw::hold_those_behind, CutFlaw::forget_waits, CutFlaw::forget_freed,
                                         CutFlaw::decide_on_closing, CutFlaw::keep_turn, CutFlaw::hurry));

}  // namespace
