/// When a job is started again, from what, and where.
#include "recovery.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <mutex>
#include <set>
#include <span>

#include "cppc/file_hash.hpp"
#include "cppc/unique_fd.hpp"
#include "small_image.hpp"
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
  /// Of one rank; with `harm`, which a look at the sizes does not find.
  std::string checkpoint(bool harm = false) {
    const auto draft = checkpoint::begin(directory_.path(), "app-1");
    std::string file = test::small_image(7);
    const checkpoint::RankImage image{file.size(), FileHash::of(std::as_bytes(std::span(file))), "build id"};
    if (harm) file.back() ^= 1;
    std::ofstream(draft->directory / "rank0.h5", std::ios::binary) << file;
    EXPECT_TRUE(checkpoint::complete(*draft, {"app-1", "./app", "login", "now", {image}}));
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
  EXPECT_FALSE(one.after({.status = 143, .stop_requested = true}, allocation_));
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

/// Only what is started from it finds out.
TEST_F(RecoveryTest, FromACheckpointThatTurnsOutToBeDamagedTheJobGoesBackToTheOneBefore) {
  Recovery one = recovery(3);
  const std::string good = checkpoint(), damaged = checkpoint(/*harm=*/true);
  EXPECT_EQ(one.after({.status = 137}, allocation_)->restart, damaged);
  EXPECT_EQ(one.after({.status = 1}, allocation_)->restart, good);
  EXPECT_FALSE(one.after({.status = 1}, allocation_)) << "the program's own end";
  EXPECT_TRUE(std::filesystem::exists(damaged)) << "nothing is removed";
}

TEST_F(RecoveryTest, ADirectoryThatCannotBeReadIsNoReasonToBeginAnew) {
  Recovery one = recovery(2);
  checkpoint();
  const std::string away = std::string(directory_.path()) + ".away";
  std::filesystem::rename(directory_.path(), away);
  EXPECT_FALSE(one.after({.status = 137}, allocation_));
  std::filesystem::rename(away, directory_.path());
  EXPECT_TRUE(one.after({.status = 137}, allocation_));
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
