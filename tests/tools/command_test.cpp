#include "../../tools/common/command.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "../../tools/common/kept_environment.hpp"

namespace cppc::tools {
namespace {

using namespace std::chrono_literals;

Result<CommandOutput> shell(const std::string& commands, std::chrono::milliseconds limit = 1min) {
  return run_command({"sh", "-c", commands}, {{"PATH", "/usr/bin:/bin"}, {"A", "1"}}, limit);
}

TEST(Command, TellsStatusAndBothOutputs) {
  const auto done = shell("echo out $A; echo err >&2; exit 3");
  ASSERT_TRUE(done) << done.error();
  EXPECT_EQ(done->status, 3);
  EXPECT_EQ(done->output, "out 1\n");
  EXPECT_EQ(done->errors, "err\n");
  EXPECT_EQ(shell("kill -9 $$")->status, 137);
}

TEST(Command, TakesLongOutputs) {
  EXPECT_EQ(shell("head -c 1000000 /dev/zero >&2; head -c 1000000 /dev/zero")->output.size(), 1000000U);
}

TEST(Command, HasNoInputAndTheUsualSignals) {
  EXPECT_EQ(shell("cat")->output, "");
  sigset_t held, before;
  sigemptyset(&held);
  sigaddset(&held, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &held, &before);
  EXPECT_EQ(shell("kill -TERM $$; echo still there")->output, "");
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(Command, OneThatDoesNotAnswerIsKilled) {
  const auto hung = shell("exec sleep 1000", 10ms);
  ASSERT_FALSE(hung);
  EXPECT_NE(hung.error().find("sh has not answered within"), std::string::npos) << hung.error();
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "nothing is left";
  EXPECT_EQ(errno, ECHILD);
}

TEST(Command, OneThatCannotBeStartedIsAnError) {
  const auto absent = run_command({"/nonexistent/program"}, {}, 1min);
  ASSERT_FALSE(absent);
  EXPECT_NE(absent.error().find("/nonexistent/program"), std::string::npos) << absent.error();
}

TEST(KeptEnvironment, ComesBackExactly) {
  const Environment before{{"KEPT_A", "1"}, {"KEPT_LINES", "a\nb = c;\"d\" "}, {"KEPT_EMPTY", ""}, {"OTHER", "x"}};
  const auto text = keep_environment("KEPT_", before);
  ASSERT_TRUE(text) << text.error();
  setenv("KEPT_A", "2", 1);
  setenv("KEPT_OF_A_STEP", "1", 1);
  setenv("OTHER", "y", 1);
  restore_environment(*text);
  const Environment after = present_environment();
  for (const char* name : {"KEPT_A", "KEPT_LINES", "KEPT_EMPTY"}) {
    ASSERT_TRUE(after.contains(name)) << name;
    EXPECT_EQ(after.at(name), before.at(name)) << name;
  }
  EXPECT_FALSE(after.contains("KEPT_OF_A_STEP"));
  EXPECT_EQ(after.at("OTHER"), "y");
  EXPECT_FALSE(keep_environment("KEPT_", {{"KEPT_A",
                                           "a\x1f"
                                           "b"}}));
}

}  // namespace
}  // namespace cppc::tools
