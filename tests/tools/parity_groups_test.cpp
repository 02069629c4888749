/// Groups of images for random jobs: apart from each other and from their parities, few, and evenly spread.
#include "parity_groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace cppc::run {
namespace {

using Names = std::vector<std::string>;
using Groups = std::vector<ParityGroup>;

Names nodes_up_to(std::size_t count) {
  Names nodes;
  for (std::size_t i = 0; i < count; ++i) nodes.push_back("node" + std::to_string(i));
  return nodes;
}

Groups planned(const Names& homes, const Names& nodes, const ErasureCode& code, const Groups& before = {}) {
  const auto groups = plan_groups(homes, nodes, code, before);
  EXPECT_TRUE(groups) << groups.error();
  return groups ? *groups : Groups();
}

/// Each rank is in one group, and each group's pieces are on nodes of their own.
void expect_sound(const Groups& groups, const Names& homes, const Names& nodes, const ErasureCode& code) {
  std::multiset<int> ranks;
  for (const ParityGroup& group : groups) {
    ranks.insert(group.ranks.begin(), group.ranks.end());
    EXPECT_LE(group.ranks.size(), std::min<std::size_t>(code.images, nodes.size() - code.parities));
    EXPECT_EQ(group.parities.size(), static_cast<std::size_t>(code.parities));
    std::set<std::string> taken(group.parities.begin(), group.parities.end());
    for (const int rank : group.ranks) taken.insert(homes[rank]);
    EXPECT_EQ(taken.size(), group.ranks.size() + group.parities.size());
    for (const std::string& node : taken) EXPECT_NE(std::ranges::find(nodes, node), nodes.end()) << node;
  }
  std::multiset<int> all;
  for (std::size_t rank = 0; rank < homes.size(); ++rank) all.insert(static_cast<int>(rank));
  EXPECT_EQ(ranks, all);
}

std::size_t pieces_left(const ParityGroup& group, const Names& homes, const std::set<std::string>& lost) {
  const auto images = std::ranges::count_if(group.ranks, [&](int rank) { return !lost.contains(homes[rank]); });
  const auto parities = std::ranges::count_if(group.parities, [&](const auto& node) { return !lost.contains(node); });
  return static_cast<std::size_t>(images + parities);
}

/// A job with ranks here and there.
struct RandomJob {
  explicit RandomJob(std::mt19937& random) {
    const auto up_to = [&](int most) { return 1 + static_cast<int>(random() % static_cast<unsigned>(most)); };
    code = {up_to(8), up_to(4)};
    nodes = nodes_up_to(static_cast<std::size_t>(code.parities + up_to(12)));
    for (int rank = 0, ranks = up_to(60); rank < ranks; ++rank) homes.push_back(nodes[random() % nodes.size()]);
  }
  ErasureCode code;
  Names nodes, homes;
};

TEST(ParityGroupsTest, PiecesAreApartAndEachRankIsInOneGroup) {
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    const RandomJob job(random);
    const Groups groups = planned(job.homes, job.nodes, job.code);
    expect_sound(groups, job.homes, job.nodes, job.code);
    std::map<std::string, std::size_t> images;
    std::size_t most = 0;
    for (const std::string& home : job.homes) most = std::max(most, ++images[home]);
    const std::size_t size = std::min<std::size_t>(job.code.images, job.nodes.size() - job.code.parities);
    EXPECT_EQ(groups.size(), std::max(most, (job.homes.size() + size - 1) / size)) << "no more than are needed";
  }
}

TEST(ParityGroupsTest, AfterALossOfAnyMNodesEachGroupHasEnoughPieces) {
  std::mt19937 random(2);
  for (int i = 0; i < 200; ++i) {
    const RandomJob job(random);
    const Groups groups = planned(job.homes, job.nodes, job.code);
    std::vector<bool> chosen(job.nodes.size());
    std::fill_n(chosen.begin(), job.code.parities, true);
    do {
      std::set<std::string> lost;
      for (std::size_t node = 0; node < chosen.size(); ++node)
        if (chosen[node]) lost.insert(job.nodes[node]);
      for (const ParityGroup& group : groups) ASSERT_GE(pieces_left(group, job.homes, lost), group.ranks.size());
    } while (std::prev_permutation(chosen.begin(), chosen.end()));
  }
}

TEST(ParityGroupsTest, WithAsManyRanksOnEachNodeAllHaveAsMuch) {
  for (std::size_t count = 3; count <= 24; ++count)
    for (int parities = 1; parities <= 3; ++parities)
      for (int images = 1; images + parities <= static_cast<int>(count); ++images)
        for (std::size_t each = 1; each <= 4; ++each) {
          const Names nodes = nodes_up_to(count);
          Names homes;
          for (std::size_t rank = 0; rank < count * each; ++rank) homes.push_back(nodes[rank / each]);
          std::map<std::string, std::size_t> load;
          for (const ParityGroup& group : planned(homes, nodes, {images, parities}))
            for (const std::string& node : group.parities) ++load[node];
          std::size_t most = 0, sum = 0;
          for (const auto& [node, its] : load) {
            most = std::max(most, its);
            sum += its;
          }
          EXPECT_LE(most, (sum + count - 1) / count + 1) << count << " nodes, rs:" << images << '+' << parities;
        }
}

TEST(ParityGroupsTest, SpareNodesHaveParitiesFirst) {
  const Groups groups = planned({"node0", "node1"}, nodes_up_to(4), {2, 2});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].parities, (Names{"node2", "node3"}));
}

TEST(ParityGroupsTest, WhatIsStillSoundStaysAsItIs) {
  std::mt19937 random(3);
  for (int i = 0; i < 500; ++i) {
    const RandomJob job(random);
    const Groups before = planned(job.homes, job.nodes, job.code);
    EXPECT_EQ(planned(job.homes, job.nodes, job.code, before), before);
    Names homes = job.homes;
    homes[random() % homes.size()] = job.nodes[random() % job.nodes.size()];
    const Groups after = planned(homes, job.nodes, job.code, before);
    expect_sound(after, homes, job.nodes, job.code);
    EXPECT_LE(after.size(), planned(homes, job.nodes, job.code).size());
  }
}

TEST(ParityGroupsTest, WhatWasOnALostNodeIsPlacedAnew) {
  std::mt19937 random(4);
  for (int i = 0; i < 500; ++i) {
    const RandomJob job(random);
    if (job.nodes.size() < static_cast<std::size_t>(job.code.parities) + 2) continue;
    const Groups before = planned(job.homes, job.nodes, job.code);
    Names nodes = job.nodes, homes = job.homes;
    const std::string lost = nodes[random() % nodes.size()];
    std::erase(nodes, lost);
    for (std::string& home : homes)
      if (home == lost) home = nodes[random() % nodes.size()];
    expect_sound(planned(homes, nodes, job.code, before), homes, nodes, job.code);
  }
}

TEST(ParityGroupsTest, AParityAloneThatIsLostIsTheOnlyOneToBeMade) {
  Groups before = planned({"node0", "node1"}, nodes_up_to(5), {2, 2});
  before[0].parities[1] = "";
  const Groups after = planned({"node0", "node1"}, nodes_up_to(5), {2, 2}, before);
  ASSERT_EQ(after.size(), 1u);
  EXPECT_EQ(after[0].ranks, before[0].ranks);
  EXPECT_EQ(after[0].parities[0], before[0].parities[0]);
  EXPECT_FALSE(after[0].parities[1].empty());
}

TEST(ParityGroupsTest, TooFewNodesAreAnErrorWithNumbers) {
  EXPECT_TRUE(plan_groups({"node0", "node1"}, nodes_up_to(3), {4, 2}, {})) << "groups of one image";
  const auto refused = plan_groups({"node0", "node1"}, nodes_up_to(2), {4, 2}, {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().find("2 parities need 3 nodes, and there are 2"), std::string::npos) << refused.error();
  EXPECT_FALSE(plan_groups({"elsewhere"}, nodes_up_to(4), {2, 1}, {}));
}

}  // namespace
}  // namespace cppc::run
