/// A keeper as cppc-run and ranks see it: the program, by its standard input and output and its socket.
#include "cppc/keeper.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <span>

#include "cppc/file_hash.hpp"
#include "keeper_link.hpp"

namespace cppc::run {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

class KeeperLinkTest : public testing::Test {
 protected:
  KeeperLinkTest() { std::signal(SIGPIPE, SIG_IGN); }  // as cppc-run does
};

class KeeperProgramTest : public KeeperLinkTest {
 protected:
  /// `other`: as on another node, where a keeper of the job has the same name.
  Result<std::unique_ptr<KeeperLink>> start(const std::string& other = "") const {
    return KeeperLink::start(
        {CPPC_KEEPER_PROGRAM},
        {{"job", job_ + other}, {"key", "a key"}, {"silence_s", 5}, {"environment", {{"CPPC_LOG", "off"}}}}, 20s);
  }

  const std::string job_ = "keeper-test-" + std::to_string(getpid());
};

TEST_F(KeeperProgramTest, HasWhatRanksWrite) {
  const auto keeper = start();
  ASSERT_TRUE(keeper) << keeper.error();
  EXPECT_FALSE(keeper::takes(job_, 1));
  ASSERT_TRUE((*keeper)->ask({{"do", "begin"}, {"set", 1}}, 5s));
  EXPECT_TRUE(keeper::takes(job_, 1));
  const auto file = keeper::make(job_, 1, 0, 5);
  ASSERT_TRUE(file) << file.error();
  ASSERT_EQ(write(file->get(), "state", 5), 5);
  const json image{
      {"rank", 0}, {"bytes", 5}, {"xxh3", FileHash::of(std::as_bytes(std::span("state", 5)))}, {"written", true}};
  const json itself{{"do", "copy"}, {"set", 1}, {"images", json::array({image})}, {"to", (*keeper)->addresses()}};
  const auto copied = (*keeper)->ask(itself, 5s);
  ASSERT_TRUE(copied) << copied.error();
  ASSERT_TRUE((*keeper)->ask({{"do", "complete"}, {"set", 1}, {"ranks", 1}}, 5s));
  const auto found = keeper::find(job_, 1, 0);
  ASSERT_TRUE(found) << found.error();
  std::string text(5, '\0');
  EXPECT_EQ(pread(found->get(), text.data(), text.size(), 0), 5);
  EXPECT_EQ(text, "state");
  EXPECT_FALSE(keeper::find(job_, 1, 1));
}

TEST_F(KeeperProgramTest, MakesParitiesAndRebuildsImagesOfThem) {
  const auto first = start(), second = start("-b");
  ASSERT_TRUE(first && second);
  for (const auto* keeper : {&first, &second}) ASSERT_TRUE((**keeper)->ask({{"do", "begin"}, {"set", 1}}, 5s));
  const auto file = keeper::make(job_, 1, 0, 5);
  ASSERT_TRUE(file) << file.error();
  ASSERT_EQ(write(file->get(), "state", 5), 5);
  json image{{"rank", 0}, {"bytes", 5}, {"xxh3", FileHash::of(std::as_bytes(std::span("state", 5)))}};
  json written = image;
  written["written"] = true;
  ASSERT_TRUE((*first)->ask({{"do", "copy"}, {"set", 1}, {"images", json::array({written})}, {"to", ""}}, 5s));
  image["at"] = json::array({(*first)->addresses()});
  const json parity{{"rows", 2}, {"row", 1}, {"members", json::array({image})}};
  const auto encoded =
      (*second)->ask({{"do", "encode"}, {"set", 1}, {"complete", false}, {"parities", json::array({parity})}}, 5s);
  ASSERT_TRUE(encoded) << encoded.error();
  EXPECT_EQ(encoded->at("received"), 5);
  ASSERT_TRUE((*second)->ask({{"do", "complete"}, {"set", 1}, {"ranks", 1}}, 5s));
  const auto listed = (*second)->ask({{"do", "list"}}, 5s);
  ASSERT_TRUE(listed) << listed.error();
  const json& its = listed->at("sets").at(0).at("parities").at(0);
  EXPECT_EQ(its.at("ranks"), json::array({0}));
  EXPECT_EQ(its.at("rows"), 2);
  EXPECT_EQ(its.at("row"), 1);
  EXPECT_EQ(its.at("members").at(0).at("xxh3"), image["xxh3"]);

  (*first)->quit();
  image["at"] = json::array();
  const json row{{"row", 1}, {"at", json::array({(*second)->addresses()})}};
  const json group{{"ranks", {0}}, {"rows", 2}, {"parities", json::array({row})}};
  ASSERT_TRUE((*second)->ask(
      {{"do", "locate"}, {"set", 1}, {"images", json::array({image})}, {"groups", json::array({group})}}, 5s));
  const auto brought = (*second)->ask({{"do", "bring"}, {"set", 1}, {"ranks", {0}}}, 5s);
  ASSERT_TRUE(brought) << brought.error();
  const auto found = keeper::find(job_ + "-b", 1, 0);
  ASSERT_TRUE(found) << found.error();
  std::string text(5, '\0');
  EXPECT_EQ(pread(found->get(), text.data(), text.size(), 0), 5);
  EXPECT_EQ(text, "state");

  ASSERT_TRUE((*second)->ask({{"do", "regroup"}, {"set", 1}, {"groups", json::array()}}, 5s));
  EXPECT_EQ((*second)->ask({{"do", "list"}}, 5s)->at("sets").at(0).at("parities"), json::array());
  const auto lost = (*second)->ask({{"do", "bring"}, {"set", 1}, {"ranks", {7}}}, 5s);
  ASSERT_FALSE(lost);
  EXPECT_NE(lost.error().find("rank 7"), std::string::npos) << lost.error();
}

TEST_F(KeeperProgramTest, ThereIsOneOfAJobOnAMachine) {
  const auto keeper = start();
  ASSERT_TRUE(keeper) << keeper.error();
  const auto second = start();
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().find("Address already in use"), std::string::npos) << second.error();
}

TEST_F(KeeperProgramTest, EndsAsItIsToldAndWhenItsInputDoes) {
  auto keeper = start();
  ASSERT_TRUE(keeper) << keeper.error();
  (*keeper)->quit();
  EXPECT_FALSE((*keeper)->alive());
  EXPECT_FALSE((*keeper)->ask({{"do", "ping"}}, 5s));
  EXPECT_FALSE(keeper::takes(job_, 1));
  EXPECT_TRUE(start()) << "its name is free again";
}

TEST_F(KeeperLinkTest, WhatIsNoKeeperIsRefused) {
  EXPECT_FALSE(KeeperLink::start({"/nonexistent/keeper"}, json::object(), 5s));
  EXPECT_FALSE(KeeperLink::start({"true"}, json::object(), 5s));
  EXPECT_FALSE(KeeperLink::start({"cat"}, {{"job", "a"}}, 5s)) << "which says what it is told";
  EXPECT_FALSE(KeeperLink::start({"sleep", "60"}, json::object(), 100ms)) << "which says nothing";
}

/// Else whoever reads this process's would wait for the keeper as well, which outlives it.
TEST_F(KeeperLinkTest, StandardErrorIsPassedOnAndNotInherited) {
  const std::string keeper =
      "echo a message >&2; echo '{\"id\":0,\"addresses\":\"'$(readlink /proc/$$/fd/2)'\"}'; read settings; echo its "
      "end >&2";
  testing::internal::CaptureStderr();
  std::string its_error;
  {
    const auto link = KeeperLink::start({"sh", "-c", keeper}, json::object(), 5s);
    if (link) its_error = (*link)->addresses();
    while (link && (*link)->alive()) std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "a message\nits end\n");
  EXPECT_TRUE(its_error.starts_with("pipe:[")) << its_error;
}

TEST(KeeperRequestTest, IsReadAsItWasWritten) {
  using keeper::Request;
  const auto same = keeper::decode(keeper::encode({Request::Kind::make, 7, 3, 123456789012}));
  ASSERT_TRUE(same);
  EXPECT_EQ(same->kind, Request::Kind::make);
  EXPECT_EQ(same->set, 7u);
  EXPECT_EQ(same->rank, 3);
  EXPECT_EQ(same->bytes, 123456789012u);
  for (const char* wrong : {"", "make", "make 1 -2 3", "make 1 2 3 4", "burn 1 2 3", "make 1 2 x"})
    EXPECT_FALSE(keeper::decode(wrong)) << wrong;
}

}  // namespace
}  // namespace cppc::run
