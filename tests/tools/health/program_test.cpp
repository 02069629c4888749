/// cppc-health as a command, with a migrate that is a script.
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "../temporary_directory.hpp"
#include "http_client.hpp"
#include "process.hpp"

namespace cppc::health {
namespace {

using nlohmann::json;
using test::Finished;
using test::Process;
using Words = std::vector<std::string>;
using namespace std::chrono_literals;

const std::string token = "0123456789abcdef0123456789abcdef";

class ProgramTest : public testing::Test {
 protected:
  ProgramTest() {
    std::filesystem::permissions(token_file_, std::filesystem::perms(0600));
    // One job, which has all nodes. To empty a node takes until the file "go" is there.
    migrate_ = directory_.script("migrate", "cd " + directory_.path() + R"(
if [ "$1" = status ]; then
  echo '[{"job":"app-1","nodes":[{"node":"node0","host":"node0","state":"up"},{"node":"node1","host":"node1","state":"up"}],"ranks":[{"rank":0,"node":"node1","bytes":1000000}]}]'
  exit
fi
echo "$*" >>calls
until [ -e go ]; do sleep 0.02; done
echo '{"node":"'"$2"'","safe":true,"verdict":"safe to power off","jobs":[{"job":"app-1","state":"done","image_bytes":1000000,"seconds":0.1}]}')");
    configuration_ =
        directory_.write("health.toml", "[site]\nnodes = [\"node0\", \"node1\"]\nstate = \"" + directory_.path() +
                                            "/state\"\nmigrate = \"" + migrate_ +
                                            "\"\n[listen]\naddress = \"127.0.0.1:0\"\ntoken_file = \"" + token_file_ +
                                            "\"\n[[rule]]\naction = \"evacuate\"\ndeadline_s = 600\n");
  }

  static Finished run(Words arguments) {
    arguments.insert(arguments.begin(), CPPC_HEALTH_PROGRAM);
    return test::run(arguments);
  }
  Process start(Words command = {}) {
    command.insert(command.end(), {CPPC_HEALTH_PROGRAM, "--config", configuration_});
    Process daemon(command);
    const std::string before = "listens at 127.0.0.1 port ";
    while (daemon.errors().find(before) == std::string::npos || !daemon.errors().ends_with('\n')) {
      EXPECT_TRUE(daemon.running()) << daemon.errors();
      std::this_thread::sleep_for(5ms);
    }
    const std::string errors = daemon.errors();
    port_ = std::stoi(errors.substr(errors.find(before) + before.size()));
    return daemon;
  }
  Finished notice(Words arguments, const std::string& token_file = "") const {
    arguments.insert(arguments.begin(), {"notice", "--server", "http://127.0.0.1:" + std::to_string(port_),
                                         "--token-file", token_file.empty() ? token_file_ : token_file});
    return run(arguments);
  }
  json evacuation_of(const std::string& node) const {
    const auto reply =
        migrate::ask_by_tcp("127.0.0.1", static_cast<std::uint16_t>(port_),
                            {"GET", "/v1/state", {{"Authorization", "Bearer " + token}}, ""}, {1min, 1min});
    for (const json all = json::parse(reply.body); const json& one : all["nodes"])
      if (one["node"] == node) return one.value("evacuation", json::object());
    return json::object();
  }
  void await_stage(const std::string& node, const std::string& stage) const {
    while (evacuation_of(node).value("stage", "") != stage) std::this_thread::sleep_for(5ms);
  }
  std::string content(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(directory_.path() + "/" + name).rdbuf();
    return text.str();
  }
  std::size_t calls() const {
    const std::string text = content("calls");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  test::TemporaryDirectory directory_;
  const std::string token_file_ = directory_.write("token", token + "\n");
  std::string migrate_, configuration_;
  int port_ = 0;
};

TEST_F(ProgramTest, HasHelpAndSaysWhatIsWrong) {
  const Finished help = run({"--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_NE(help.output.find("cppc-health notice --node node7"), std::string::npos);
  EXPECT_EQ(run({"--version"}).status, 0);
  EXPECT_EQ(run({"--no-such-option"}).status, 2);
  EXPECT_EQ(run({"--check", "--config", configuration_}).status, 0);
  const std::string wrong = directory_.write("wrong.toml", "[site]\nnodes = [\"a\"]\n\nper_hour = \"4\"\n");
  const Finished refused = run({"--check", "--config", wrong});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.errors,
            "cppc-health: " + wrong + ":4: per_hour in [site] has to be a whole number from 1 to 100000\n");
  const Finished none = run({"--config", "/nonexistent"});
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.errors.find("cannot read the configuration /nonexistent: No such file or directory; name another"),
            std::string::npos);
  std::filesystem::permissions(token_file_, std::filesystem::perms(0644));
  const Finished open = run({"--config", configuration_});
  EXPECT_EQ(open.status, 1);
  EXPECT_NE(open.errors.find("has to have mode 0600"), std::string::npos) << open.errors;
}

TEST_F(ProgramTest, ANoticeFromTheCommandLineEmptiesANodeAndResolvedGivesItBack) {
  Process daemon = start();
  directory_.write("go", "");
  const Finished sent = notice({"--node", "node1", "--reason", "fan fails", "--deadline", "60"});
  EXPECT_EQ(sent.status, 0) << sent.errors;
  await_stage("node1", "emptied");
  EXPECT_EQ(evacuation_of("node1")["said"], "safe to power off; job app-1: 1 MB moved in 0.10 s");
  EXPECT_EQ(content("calls").substr(0, 24), "--evacuate node1 --json ");
  EXPECT_EQ(notice({"--node", "node1", "--resolved"}).status, 0);
  while (!evacuation_of("node1").empty()) std::this_thread::sleep_for(5ms);
  daemon.signal(SIGTERM);
  EXPECT_EQ(daemon.wait().status, 0);
  EXPECT_NE(daemon.errors().find(
                "node1: safe to power off; job app-1: 1 MB moved in 0.10 s; cause: manual: fan fails (node1)"),
            std::string::npos)
      << daemon.errors();
}

// One node at a time: the second one waits while the clock jumps, long past its deadline.
TEST_F(ProgramTest, AWallClockThatJumpsEndsNoDeadline) {
  // A sanitizer's library has to come first otherwise.
  Process daemon = start({"env", "LD_PRELOAD=" CPPC_JUMPING_CLOCK, "CLOCK_JUMPS_WITH=" + directory_.path() + "/jump",
                          "ASAN_OPTIONS=verify_asan_link_order=0"});
  EXPECT_EQ(notice({"--node", "node0", "--deadline", "600"}).status, 0);
  await_stage("node0", "running");
  EXPECT_EQ(notice({"--node", "node1", "--deadline", "600"}).status, 0);
  await_stage("node1", "waiting");
  directory_.write("jump", "");
  directory_.write("go", "");
  await_stage("node0", "emptied");
  EXPECT_EQ(notice({"--node", "node0", "--resolved"}).status, 0);  // one node has to be left
  await_stage("node1", "emptied");
  daemon.signal(SIGTERM);
  EXPECT_EQ(daemon.wait().status, 0);
  const std::string audit = content("state/audit.log");
  EXPECT_EQ(audit.find("expired"), std::string::npos) << audit;
  const auto date_of = [&](std::size_t line) {
    return json::parse(audit.substr(line, audit.find('\n', line) - line)).at("time").get<std::string>().substr(0, 10);
  };
  EXPECT_NE(date_of(0), date_of(audit.rfind('\n', audit.size() - 2) + 1)) << "the clock has not jumped: " << audit;
}

TEST_F(ProgramTest, TheClientSaysWhyANoticeWasNotTaken) {
  Process daemon = start();
  EXPECT_EQ(notice({"--node", "a b"}).status, 2);
  EXPECT_EQ(notice({}).status, 2);
  const Finished deadline = notice({"--node", "node1", "--deadline", "soon"});
  EXPECT_EQ(deadline.status, 2);
  EXPECT_EQ(deadline.errors.find("--deadline: \"soon\" is no number of seconds from 0 to 1000000000"), 0u)
      << deadline.errors;
  const std::string other = directory_.write("other", std::string(32, 'x'));
  std::filesystem::permissions(other, std::filesystem::perms(0600));
  const Finished stranger = notice({"--node", "node1"}, other);
  EXPECT_EQ(stranger.status, 1);
  EXPECT_NE(stranger.errors.find("has another token than " + other), std::string::npos) << stranger.errors;
  daemon.signal(SIGINT);
  EXPECT_EQ(daemon.wait().status, 0);
  const Finished nobody = notice({"--node", "node1"});
  EXPECT_EQ(nobody.status, 1);
  EXPECT_NE(nobody.errors.find("no answer from http://127.0.0.1:"), std::string::npos) << nobody.errors;
}

TEST_F(ProgramTest, AConfigurationThatCannotBeReadIsSaid) {
  for (const auto& [file, reason] : {std::pair{"/", "Is a directory"}, {"/nowhere", "No such file or directory"}}) {
    const Finished finished = run({"--check", "--config", file});
    EXPECT_EQ(finished.status, 2);
    EXPECT_EQ(finished.errors, std::string("cppc-health: cannot read the configuration ") + file + ": " + reason +
                                   "; name another with --config\n");
  }
}

TEST_F(ProgramTest, KilledInTheMiddleItGoesOnFromItsJournal) {
  {
    Process daemon = start();
    ASSERT_EQ(notice({"--node", "node1"}).status, 0);
    while (calls() < 1) std::this_thread::sleep_for(5ms);
    daemon.signal(SIGKILL);
    EXPECT_EQ(daemon.wait().status, 128 + SIGKILL);
  }
  Process again = start();
  while (calls() < 2) std::this_thread::sleep_for(5ms);
  EXPECT_EQ(evacuation_of("node1")["attempts"], 2);
  directory_.write("go", "");
  await_stage("node1", "emptied");
  EXPECT_NE(content("state/audit.log").find("was being emptied when cppc-health ended: begins again"),
            std::string::npos);
  again.signal(SIGTERM);
  EXPECT_EQ(again.wait().status, 0);
  Process third = start();
  EXPECT_EQ(evacuation_of("node1")["stage"], "emptied");
  EXPECT_EQ(calls(), 2u);
}

TEST_F(ProgramTest, ASecondOneIsRefusedAndNamesTheFirst) {
  Process daemon = start();
  const Finished second = run({"--config", configuration_});
  EXPECT_EQ(second.status, 1);
  EXPECT_NE(second.errors.find("another cppc-health works with " + directory_.path() + "/state: process " +
                               std::to_string(daemon.id()) + " on "),
            std::string::npos)
      << second.errors;
}

}  // namespace
}  // namespace cppc::health
