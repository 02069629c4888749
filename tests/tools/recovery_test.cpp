/// When a job is started again, from what, and where.
#include "recovery.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <mutex>
#include <set>

#include "cppc/unique_fd.hpp"
#include "standard_input.hpp"
#include "temporary_directory.hpp"

namespace cppc::run {
namespace {

class RecoveryTest : public testing::Test {
 protected:
  Recovery recovery(int times) {
    return Recovery(
        {directory_.path(), std::chrono::seconds(60), "", times}, "app-1",
        [this](const AllocatedNode& node) { return !silent_.contains(node.name); }, [this] { return input_is_there_; });
  }
  std::string checkpoint() {
    const auto draft = checkpoint::begin(directory_.path(), "app-1");
    std::ofstream(draft->directory / "rank0.h5") << "x";
    EXPECT_TRUE(checkpoint::complete(*draft, {"app-1", "./app", "login", "now", {{1, 2, "build id"}}}));
    return draft->complete;
  }

  const test::TemporaryDirectory directory_;
  const Allocation allocation_{{{"node0", 2}, {"node1", 2}, {"node2", 2}}, true, {}, {}};
  std::set<std::string> silent_;
  bool input_is_there_ = true;
};

TEST_F(RecoveryTest, LossesAreRecoveredFromTheNewestCheckpointOnTheNodesThatAreLeft) {
  Recovery one = recovery(2);
  checkpoint();
  const std::string newest = checkpoint();
  silent_ = {"node1"};
  const auto start = one.after({.status = 137}, allocation_);
  ASSERT_TRUE(start.has_value());
  EXPECT_EQ(start->restart, newest);
  EXPECT_EQ(start->allocation.nodes, (std::vector<AllocatedNode>{{"node0", 2}, {"node2", 2}}));
}

TEST_F(RecoveryTest, ANodeThatIsKnownToBeSilentIsNotAsked) {
  std::set<std::string> asked;
  std::mutex mutex;
  const auto reaches = [&](const AllocatedNode& node) {
    const std::lock_guard lock(mutex);
    asked.insert(node.name);
    return true;
  };
  Recovery one({directory_.path(), std::chrono::seconds(60), "", 1}, "app-1", reaches, [] { return true; });
  const auto start = one.after({.status = 205, .silent = {"node1"}}, allocation_);
  ASSERT_TRUE(start.has_value());
  EXPECT_EQ(start->allocation.nodes, (std::vector<AllocatedNode>{{"node0", 2}, {"node2", 2}}));
  EXPECT_EQ(asked, (std::set<std::string>{"node0", "node2"}));
}

TEST_F(RecoveryTest, NodesAreTakenOutOfAnAllocation) {
  const auto left = without(allocation_, {"node0", "elsewhere"});
  ASSERT_TRUE(left.has_value());
  EXPECT_EQ(left->nodes, (std::vector<AllocatedNode>{{"node1", 2}, {"node2", 2}}));
  EXPECT_FALSE(without(allocation_, {"node0", "node1", "node2"}).has_value());
}

TEST_F(RecoveryTest, WhatIsNoLossIsTheEnd) {
  Recovery one = recovery(2);
  EXPECT_FALSE(one.after({.status = 0}, allocation_));
  EXPECT_FALSE(one.after({.status = 1}, allocation_)) << "the program's own";
  EXPECT_FALSE(one.after({.status = 143, .told_to_stop = true}, allocation_));
  EXPECT_FALSE(recovery(0).after({.status = 137}, allocation_)) << "nobody wants it";
  EXPECT_TRUE(one.after({.status = 4, .damaged = true}, allocation_));
}

TEST_F(RecoveryTest, LossesWithoutANewCheckpointAreLimited) {
  Recovery one = recovery(2);
  EXPECT_EQ(one.after({.status = 137}, allocation_)->restart, "") << "from its beginning";
  EXPECT_TRUE(one.after({.status = 137}, allocation_));
  const std::string first = checkpoint();
  EXPECT_EQ(one.after({.status = 137}, allocation_)->restart, first) << "counted anew";
  EXPECT_TRUE(one.after({.status = 205}, allocation_));
  EXPECT_FALSE(one.after({.status = 137}, allocation_));
}

TEST_F(RecoveryTest, ACheckpointThatIsNotAllThereIsNotUsed) {
  Recovery one = recovery(2);
  const std::string whole = checkpoint();
  std::filesystem::remove(checkpoint() + "/rank0.h5");
  EXPECT_EQ(one.after({.status = 137}, allocation_)->restart, whole);
}

TEST_F(RecoveryTest, WithoutItsInputAJobDoesNotStartAgainFromItsBeginning) {
  Recovery one = recovery(2);
  input_is_there_ = false;
  EXPECT_FALSE(one.after({.status = 137}, allocation_));
  const std::string whole = checkpoint();
  EXPECT_EQ(one.after({.status = 137}, allocation_)->restart, whole);
}

TEST(StandardInputTest, OfAFileIsReadAgainAndOfAPipeNot) {
  const test::TemporaryDirectory directory;
  std::ofstream(directory.path() + "/input") << "12345";
  const UniqueFd file(open((directory.path() + "/input").c_str(), O_RDONLY));
  std::array<char, 3> read_first{}, read_again{};
  ASSERT_EQ(read(file.get(), read_first.data(), 1), 1);  // by somebody else
  const StandardInput input(file.get());
  EXPECT_TRUE(input.any());
  ASSERT_EQ(read(file.get(), read_first.data(), 3), 3);
  EXPECT_TRUE(input.begin_again());
  ASSERT_EQ(read(file.get(), read_again.data(), 3), 3);
  EXPECT_EQ(read_again, read_first);
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const UniqueFd reading(ends[0]), writing(ends[1]);
  EXPECT_TRUE(StandardInput(reading.get()).any());
  EXPECT_FALSE(StandardInput(reading.get()).begin_again());
  const UniqueFd nothing(open("/dev/null", O_RDONLY));
  EXPECT_FALSE(StandardInput(nothing.get()).any());
  EXPECT_TRUE(StandardInput(nothing.get()).begin_again());
}

TEST_F(RecoveryTest, WithoutANodeItIsTheEnd) {
  Recovery one = recovery(2);
  silent_ = {"node0", "node1", "node2"};
  EXPECT_FALSE(one.after({.status = 205}, allocation_));
}

}  // namespace
}  // namespace cppc::run
