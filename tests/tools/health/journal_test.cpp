#include "journal.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

#include "../temporary_directory.hpp"
#include "process.hpp"
#include "state_lock.hpp"

namespace cppc::health {
namespace {

using namespace std::chrono_literals;
using Stage = Evacuation::Stage;

Rule evacuate() {
  Rule rule;
  rule.action = Action::evacuate;
  rule.deadline = 600s;
  return rule;
}

Notice notice(const std::string& node, bool firing = true) {
  Notice one;
  one.key = "key of " + node;
  one.source = "test";
  one.node = node;
  one.firing = firing;
  return one;
}

class JournalTest : public testing::Test {
 protected:
  Result<Journal> open(Time now, const std::string& boot = "boot-1") {
    engine_.emplace(std::vector{evacuate()}, Brakes{1, 10, 1}, Retries{});
    engine_->set_nodes({"node0", "node1", "node2"});
    return Journal::open(path_, *engine_, now, boot);
  }
  std::size_t lines() const {
    std::ifstream in(path_);
    std::string line;
    std::size_t count = 0;
    while (std::getline(in, line)) ++count;
    return count;
  }
  test::TemporaryDirectory directory_;
  const std::string path_ = directory_.path() + "/journal";
  std::optional<Engine> engine_;
};

TEST_F(JournalTest, AnotherProcessGoesOnFromIt) {
  {
    auto journal = open(0s).value();
    ASSERT_TRUE(journal.write({Journal::notice(notice("node1")), Journal::notice(notice("node2"))}, 1s));
    ASSERT_TRUE(journal.write({Journal::start("node1")}, 2s));
  }
  {
    auto journal = open(10s).value();
    const auto starts = engine_->advance(10s);
    ASSERT_EQ(starts.size(), 1u);
    EXPECT_EQ(starts[0].node, "node1");
    EXPECT_EQ(starts[0].left, Time(591s));
    ASSERT_TRUE(journal.write({Journal::start("node1")}, 10s));
    ASSERT_TRUE(journal.write({Journal::end("node1", Outcome::emptied, "safe to power off")}, 12s));
  }
  open(20s).value();
  EXPECT_EQ(engine_->evacuations().at("node1").stage, Stage::emptied);
  EXPECT_EQ(engine_->evacuations().at("node1").summary, "safe to power off");
  EXPECT_EQ(engine_->advance(20s).front().node, "node2");
}

TEST_F(JournalTest, ATornLastLineIsLeftOut) {
  {
    auto journal = open(0s).value();
    ASSERT_TRUE(journal.write({Journal::notice(notice("node1"))}, 1s));
  }
  std::ofstream(path_, std::ios::app) << R"({"at":2000,"boot":"boot-1","notice":{"key":"k","nod)";
  auto journal = open(3s);
  ASSERT_TRUE(journal.has_value()) << journal.error();
  EXPECT_EQ(engine_->conditions().size(), 1u);
  ASSERT_TRUE(journal->write({Journal::notice(notice("node2"))}, 4s));
  ASSERT_TRUE(open(5s).has_value()) << "the next line does not stick to the torn one";
  EXPECT_EQ(engine_->conditions().size(), 2u);
}

TEST_F(JournalTest, OtherDamageIsAnErrorThatNamesTheLine) {
  directory_.write("journal",
                   "{\"at\":1,\"boot\":\"b\",\"start\":\"node1\"}\n{\"at\":2,\"bo\n{\"at\":3,\"start\":\"node1\"}\n");
  const auto journal = open(3s);
  ASSERT_FALSE(journal.has_value());
  EXPECT_EQ(journal.error().substr(0, path_.size() + 3), path_ + ":2:");
}

TEST_F(JournalTest, WhatIsOverIsForgottenButForTheBrakes) {
  {
    auto journal = open(0s).value();
    for (int i = 0; i < 50; ++i)
      ASSERT_TRUE(journal.write({Journal::notice(notice("node1")), Journal::start("node1"),
                                 Journal::end("node1", Outcome::emptied, ""), Journal::notice(notice("node1", false))},
                                Time(i * 1s)));
    ASSERT_TRUE(journal.write({Journal::notice(notice("node2"))}, 60s));
  }
  open(61s).value();
  EXPECT_EQ(lines(), 51u) << "50 starts of this hour";
  open(2h).value();
  EXPECT_EQ(lines(), 1u);
}

TEST_F(JournalTest, AfterARestartOfTheMachineDeadlinesCountFromThere) {
  {
    auto journal = open(5h).value();
    ASSERT_TRUE(journal.write({Journal::notice(notice("node1"))}, 5h));
  }
  open(30s, "boot-2").value();
  const auto starts = engine_->advance(30s);
  ASSERT_EQ(starts.size(), 1u);
  EXPECT_EQ(starts[0].left, Time(570s));
}

TEST_F(JournalTest, AFileThatCannotBeReadIsNotTakenForItsEnd) {
  std::filesystem::create_symlink("/proc/self/mem", path_);  // opens, and fails when it is read
  const auto journal = open(0s);
  ASSERT_FALSE(journal.has_value());
  EXPECT_EQ(journal.error(), "cannot read " + path_ + ": Input/output error");
}

TEST_F(JournalTest, WhatCouldNotBeWrittenIsWrittenLaterAndWhole) {
  auto journal = open(0s).value();
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{10, before.rlim_max};  // a part of a line can be written
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto first = journal.write({Journal::notice(notice("node1"))}, 1s);
  const auto second = journal.write({Journal::notice(notice("node2"))}, 2s);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_FALSE(first.has_value());
  EXPECT_FALSE(second.has_value());
  EXPECT_EQ(std::filesystem::file_size(path_), 0u);
  ASSERT_TRUE(journal.is_behind());
  ASSERT_TRUE(journal.write({}, 3s));
  EXPECT_FALSE(journal.is_behind());
  EXPECT_EQ(lines(), 2u);
  ASSERT_TRUE(open(4s).has_value());
  EXPECT_EQ(engine_->conditions().size(), 2u);
}

TEST_F(JournalTest, ADiskThatIsFullIsSaid) {
  auto journal = open(0s).value();
  std::filesystem::remove(path_);
  std::filesystem::create_symlink("/dev/full", path_);
  EXPECT_FALSE(AppendFile::open(path_).has_value()) << "not by a link";
  auto full = AppendFile::open("/dev/full").value();
  const auto written = full.append("x\n");
  ASSERT_FALSE(written.has_value());
  EXPECT_NE(written.error().find("cannot write /dev/full: No space left"), std::string::npos) << written.error();
}

TEST(StateLock, TheSecondIsToldWhoHasIt) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path() + "/a/b";
  auto first = lock_state(path);
  ASSERT_TRUE(first.has_value()) << first.error();
  const auto second = lock_state(path);
  ASSERT_FALSE(second.has_value());
  EXPECT_NE(second.error().find("another cppc-health works with " + path + ": process " + std::to_string(getpid())),
            std::string::npos)
      << second.error();
  first->reset();
  EXPECT_TRUE(lock_state(path).has_value());
}

}  // namespace
}  // namespace cppc::health
