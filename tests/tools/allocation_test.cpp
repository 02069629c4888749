#include "allocation.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "host_lists.hpp"
#include "rank_count.hpp"
#include "resource_manager/resource_manager.hpp"
#include "temporary_directory.hpp"

namespace cppc::run {
namespace {

using Nodes = std::vector<AllocatedNode>;

Machine machine() {
  return {"head", [](const std::string& name) { return name == "localhost" || name == "head" || name == "10.0.0.9"; },
          4};
}

std::vector<Context> parse(const std::string& line) {
  std::istringstream stream(line);
  const std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
  auto contexts = parse_command_line(words);
  EXPECT_TRUE(contexts.has_value()) << contexts.error();
  return *contexts;
}

Nodes host_nodes(const std::string& list) {
  const auto nodes = parse_host_list(list, machine());
  EXPECT_TRUE(nodes.has_value()) << nodes.error();
  return nodes.value_or(Nodes{});
}

tl::expected<Nodes, std::string> host_file(const std::string& content) {
  std::istringstream file(content);
  return parse_host_file(file, "hosts", machine());
}

TEST(HostList, SlotsAndRepetitions) {
  EXPECT_EQ(host_nodes("node0:2,node1,node1,node2:3,node2"), (Nodes{{"node0", 2}, {"node1", 2}, {"node2", 4}}));
  EXPECT_EQ(host_nodes("node0:*,node1:auto"), (Nodes{{"node0", std::nullopt}, {"node1", std::nullopt}}));
}

TEST(HostList, NamesAreThoseOfMpirun) {
  EXPECT_EQ(host_nodes("localhost:2,node1.example.org,10.77.0.2,10.0.0.9:3"),
            (Nodes{{"head", 5}, {"node1", 1}, {"10.77.0.2", 1}}));
}

TEST(HostList, RefusesWhatItCannotRead) {
  for (const char* list : {"node0:0", "node0:two", "node0:", "+n0", "+e", "", ",", "node0:2147483647,node0"}) {
    EXPECT_FALSE(parse_host_list(list, machine()).has_value()) << list;
  }
}

TEST(HostFile, LinesSlotsAndComments) {
  const auto nodes =
      host_file("# nodes\nnode0 slots=4\n\n  node1   slots = 2 // two\nnode2 cpu=3\nnode3 # as cores\nnode4\nnode4\n");
  ASSERT_TRUE(nodes.has_value()) << nodes.error();
  EXPECT_EQ(*nodes, (Nodes{{"node0", 4}, {"node1", 2}, {"node2", 3}, {"node3", std::nullopt}, {"node4", 2}}));
}

TEST(HostFile, RefusesWithTheNumberOfTheLine) {
  for (const char* line : {"node0 max_slots=4", "node0 slots", "node0 slots=none", "me@node0", "^node0", "+n1",
                           "rank 0=node0 slot=1", "node0 port=22", "node9 slots=2147483647"}) {
    const auto nodes = host_file(std::string("node9\n") + line + "\n");
    ASSERT_FALSE(nodes.has_value()) << line;
    EXPECT_EQ(nodes.error().substr(0, 15), "hosts, line 2: ") << nodes.error();
  }
}

TEST(Allocation, IsThisMachineWhenNobodyNamesNodes) {
  const auto contexts = parse("-n 2 --default-hostfile /nonexistent app");
  const auto allocation = allocate(contexts, machine());
  ASSERT_TRUE(allocation.has_value()) << allocation.error();
  EXPECT_FALSE(allocation->named);
  EXPECT_EQ(allocation->nodes, (Nodes{{"head", std::nullopt}}));
}

TEST(Allocation, IsTheUnionOfWhatTheContextsName) {
  const test::TemporaryDirectory directory;
  const std::string file = directory.write("hosts", "node1 slots=8\nnode2\n");
  const auto contexts = parse("-H node0:2,node1 a : --hostfile " + file + " b : -n 1 c");
  const auto allocation = allocate(contexts, machine());
  ASSERT_TRUE(allocation.has_value()) << allocation.error();
  EXPECT_TRUE(allocation->named);
  EXPECT_EQ(allocation->nodes, (Nodes{{"node0", 2}, {"node1", 8}, {"node2", std::nullopt}}));
  EXPECT_EQ(host_list(allocation->of_context.at(&contexts[0])), "node0:2,node1:1");
  EXPECT_EQ(host_list(allocation->of_context.at(&contexts[1])), "node1:8,node2:*");
  EXPECT_EQ(allocation->of_context.count(&contexts[2]), 0u);
}

TEST(Allocation, TheDefaultHostFileCountsWhenNobodyNamesNodes) {
  const test::TemporaryDirectory directory;
  const std::string file = directory.write("hosts", "node1 slots=8\n");
  const auto by_option = parse("--default-hostfile " + file + " a");
  EXPECT_EQ(allocate(by_option, machine())->nodes, (Nodes{{"node1", 8}}));
  const auto by_parameter = parse("--mca orte_default_hostfile " + file + " a");
  EXPECT_EQ(allocate(by_parameter, machine())->nodes, (Nodes{{"node1", 8}}));
  const auto overruled = parse("--default-hostfile " + file + " -H node2 a");
  EXPECT_EQ(allocate(overruled, machine())->nodes, (Nodes{{"node2", 1}}));
}

TEST(Allocation, NolocalLeavesThisMachineOut) {
  const auto contexts = parse("--nolocal -H head,node1 a");
  EXPECT_EQ(allocate(contexts, machine())->nodes, (Nodes{{"node1", 1}}));
  const auto nowhere = parse("--nolocal -H head a");
  EXPECT_FALSE(allocate(nowhere, machine()).has_value());
}

TEST(Allocation, RefusesHostFilesThatItCannotRead) {
  for (const char* line : {"--hostfile /nonexistent a", "--hostfile /dev/null a", "--hostfile x --machinefile y a"}) {
    EXPECT_FALSE(allocate(parse(line), machine()).has_value()) << line;
  }
}

class ManagedAllocation : public testing::Test {
 protected:
  class Manager : public ResourceManager {
   public:
    std::string name() const override { return "job 17"; }
    const std::vector<AllocatedNode>& nodes() const override { return nodes_; }
    std::optional<int> ranks() const override { return 3; }
    std::string id() const override { return "fake:17"; }
    std::string prefix() const override { return "X_"; }
    Release release(const std::string&, const std::string&, const std::stop_token&) override { return {}; }
    Release keep(const std::string&) const override { return {}; }

   private:
    Nodes nodes_{{"node0", 2}, {"node1", 4}, {"node2", 1}};
  } manager_;

  Result<Allocation> allocate(const std::string& line) {
    contexts_ = parse(line);
    return run::allocate(contexts_, machine(), &manager_);
  }
  int ranks(const std::string& line) {
    const auto allocation = allocate(line);
    EXPECT_TRUE(allocation) << allocation.error();
    return default_rank_count(contexts_[0], *allocation, machine()).value();
  }
  std::vector<Context> contexts_;
};

TEST_F(ManagedAllocation, HasAllNodesOfTheJobWhenNobodyNamesAny) {
  const auto all = allocate("--default-hostfile /nonexistent a");
  ASSERT_TRUE(all) << all.error();
  EXPECT_EQ(all->nodes, manager_.nodes());
  EXPECT_TRUE(all->named);
}

TEST_F(ManagedAllocation, NodesMayBeChosenFromIt) {
  const test::TemporaryDirectory directory;
  const auto some = allocate("-H node2:3,node1:* a : --hostfile " + directory.write("hosts", "node1\n") + " b");
  ASSERT_TRUE(some) << some.error();
  EXPECT_EQ(some->nodes, (Nodes{{"node2", 3}, {"node1", 4}}));
}

TEST_F(ManagedAllocation, OtherNodesAreRefusedByName) {
  for (const char* line : {"-H node1,node7 a", "-H head a"}) {
    const auto outside = allocate(line);
    ASSERT_FALSE(outside) << line;
    EXPECT_NE(outside.error().find(" is not among the nodes of job 17"), std::string::npos) << outside.error();
  }
}

TEST_F(ManagedAllocation, HasAsManyRanksAsTheJobWasAskedFor) {
  EXPECT_EQ(ranks("a"), 3);
  EXPECT_EQ(ranks("-H node1:2 a"), 2);
  EXPECT_EQ(ranks("--npernode 2 a"), 6);
}

TEST(ThisMachine, KnowsItself) {
  const Machine self = this_machine();
  EXPECT_FALSE(self.name.empty());
  EXPECT_TRUE(self.is_local(self.name));
  EXPECT_TRUE(self.is_local("localhost"));
  EXPECT_TRUE(self.is_local("127.0.0.1"));
  EXPECT_FALSE(self.is_local("198.51.100.7"));
  EXPECT_GE(self.cores, 1);
}

tl::expected<int, std::string> count(const std::string& line) {
  const auto contexts = parse(line);
  const auto allocation = allocate(contexts, machine());
  EXPECT_TRUE(allocation.has_value());
  return default_rank_count(contexts[0], *allocation, machine());
}

TEST(RankCount, IsMpirunsOwn) {
  EXPECT_EQ(count("-H node0:2,node1:3 a"), 5);
  EXPECT_EQ(count("-H node0,node1 a"), 2);
  EXPECT_EQ(count("-H head:* a"), 4);
  EXPECT_EQ(count("--default-hostfile /nonexistent a"), 4);
  EXPECT_EQ(count("-H node0:2,node1:3 --pernode a"), 2);
  EXPECT_EQ(count("-H node0:9,node1:9 -N 3 a"), 6);
  EXPECT_EQ(count("-H node0:9,node1:9 --map-by ppr:2:node a"), 4);
  EXPECT_EQ(count("-H node0:9,node1:9 --map-by node a"), 18);
}

TEST(RankCount, AsksWhenOnlyTheNodesKnow) {
  for (const char* line : {"-H node0:* a", "-H node0:2 --npersocket 1 a", "-H node0:2 --map-by ppr:1:socket a",
                           "-H node0:2 --map-by slot:PE=2 a", "-H node0:2 --cpus-per-proc 2 a", "-H node0:2 -N x a"}) {
    const auto ranks = count(line);
    ASSERT_FALSE(ranks.has_value()) << line;
    EXPECT_EQ(ranks.error().substr(0, 15), "how many ranks?") << ranks.error();
  }
}

TEST(RankCount, NeverIsMoreThanThereCanBe) {
  for (const char* line : {"-H node0:2147483647,node1 a", "-H node0,node1 --npernode 2147483647 a"})
    EXPECT_FALSE(count(line).has_value()) << line;
}

}  // namespace
}  // namespace cppc::run
