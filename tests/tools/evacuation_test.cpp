/// `migrate --evacuate` with several jobs, whose controllers and agents are not real.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "controller.hpp"
#include "cppc/unique_fd.hpp"
#include "fake_agents.hpp"
#include "job_client.hpp"
#include "process.hpp"
#include "sockets.hpp"
#include "temporary_directory.hpp"

namespace cppc::migrate {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::Finished;
using test::Process;
using Words = std::vector<std::string>;
using Nodes = std::vector<run::AllocatedNode>;

const Nodes kNodes{{"node0", 2}, {"node1", 2}, {"node2", 2}};

// Four ranks, two each on the first two nodes.
class FakeJob {
 public:
  FakeJob(const std::string& id, const std::string& directory, const Nodes& nodes = kNodes,
          run::ResourceManager* manager = nullptr, const std::string& own = "head")
      : controller_(run::Controller::start({id, "./app", nodes, own}, "key", directory, {}, manager).value()),
        agents_(controller_->addresses(), "key", {{0, 1}, {2, 3}, {}}) {}

  void obey() { agents_.obey(agents_.order()); }
  void fail(const std::string& reason) {
    const auto id = agents_.order().id;
    agents_[0].send(wire::Outcome{id, CPPC_ERR_NOT_QUIET, reason});
  }
  void end() {
    agents_.order();
    controller_->ended(0);
    controller_.reset();
  }

 private:
  std::unique_ptr<run::Controller> controller_;
  test::FakeAgents agents_;
};

// That lets go of nodes, or not, as the test says.
class FakeManager : public run::ResourceManager {
 public:
  using State = run::Release::State;
  explicit FakeManager(State state) : state_(state) {}

  std::string name() const override { return "job 17"; }
  const Nodes& nodes() const override { return kNodes; }
  std::string id() const override { return "fake:17"; }
  std::string prefix() const override { return "FAKE_"; }
  run::Release release(const std::string& node, const std::string&, const std::stop_token&) override {
    return {state_, "what becomes of " + node};
  }
  run::Release keep(const std::string& reason) const override { return {State::kept, "still in job 17, " + reason}; }

 private:
  State state_;
};

// A job whose cppc-run accepts connections and says nothing.
class SilentJob {
 public:
  explicit SilentJob(const std::string& path) : listener_(tools::listen_on_unix(context_, path).value()) {}
  ~SilentJob() {
    over_ = true;
    shutdown(listener_.native_handle(), SHUT_RD);
    thread_.join();
  }

 private:
  boost::asio::io_context context_;
  tools::ListeningSocket listener_;
  std::atomic<bool> over_ = false;
  std::thread thread_{[this] {
    while (!over_) {
      pollfd one{listener_.native_handle(), POLLIN, 0};
      poll(&one, 1, -1);
      const UniqueFd dropped(accept(listener_.native_handle(), nullptr, nullptr));
    }
  }};
};

class EvacuationTest : public testing::Test {
 protected:
  EvacuationTest() { make(jobs_); }

  static void make(const std::string& directory) {
    fs::create_directory(directory);
    fs::permissions(directory, fs::perms::owner_all);
  }
  Process start(Words arguments) const {
    arguments.insert(arguments.begin(), MIGRATE_PROGRAM);
    return Process(arguments, {"CPPC_JOB_DIRECTORIES=" + jobs_ + ":" + others_});
  }
  Finished migrate(const Words& arguments) const { return start(arguments).wait(); }
  void await_running(std::size_t jobs) const {
    const auto running = [](const json& job) { return job["state"] == "running"; };
    for (json all; all.size() != jobs || !std::ranges::all_of(all, running);)
      all = json::parse(migrate({"status", "--json"}).output);
  }

  test::TemporaryDirectory directory_;
  const std::string jobs_ = directory_.path() + "/cppc", others_ = directory_.path() + "/others";
};

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "no \"" << part << "\" in:\n" << text;
}

void expect_lacks(const std::string& text, const std::string& part) {
  EXPECT_EQ(text.find(part), std::string::npos) << "\"" << part << "\" in:\n" << text;
}

TEST_F(EvacuationTest, EmptiesTheNodeOfAllJobs) {
  FakeJob one("app-1", jobs_), other("other-2", jobs_);
  await_running(2);
  Process command = start({"--evacuate", "node1"});
  one.obey();
  other.obey();
  const Finished done = command.wait();
  EXPECT_EQ(done.status, 0) << done.errors;
  expect_contains(done.output, "migration 1 of job app-1: rank 2: node1 -> node2");
  expect_contains(done.output, "job app-1: done in ");
  expect_contains(done.output, "job other-2: done in ");
  EXPECT_TRUE(done.output.ends_with("\nnode1: safe to power off\n")) << done.output;
  EXPECT_EQ(done.errors, "");
}

TEST_F(EvacuationTest, ANodeThatLeavesTheResourceManagersJobIsSafe) {
  FakeManager manager(FakeManager::State::released);
  FakeJob one("app-1", jobs_, kNodes, &manager);
  await_running(1);
  Process command = start({"--evacuate", "node1"});
  one.obey();
  const Finished done = command.wait();
  EXPECT_EQ(done.status, 0) << done.errors;
  EXPECT_TRUE(done.output.ends_with("\nnode1: safe to power off\n")) << done.output;
}

TEST_F(EvacuationTest, OneThatDoesNotHasAStatusForEachReason) {
  const std::vector<std::pair<FakeManager::State, int>> cases{
      {FakeManager::State::kept, 7}, {FakeManager::State::batch_host, 8}, {FakeManager::State::no_second, 9}};
  for (const auto& [state, status] : cases) {
    FakeManager manager(state);
    FakeJob one("app-1", jobs_, kNodes, &manager);
    await_running(1);
    Process command = start({"--evacuate", "node1", "--json"});
    one.obey();
    const Finished done = command.wait();
    EXPECT_EQ(done.status, status) << done.errors;
    const json told = json::parse(done.output);
    EXPECT_EQ(told["safe"], false);
    EXPECT_EQ(told["verdict"], "empty, but not safe to power off: what becomes of node1");
    EXPECT_EQ(told["kept"], json::array({"what becomes of node1"}));
  }
}

TEST_F(EvacuationTest, ANodeMayBeKeptInTheResourceManagersJob) {
  FakeManager manager(FakeManager::State::released);
  FakeJob one("app-1", jobs_, kNodes, &manager);
  await_running(1);
  Process command = start({"--evacuate", "node1", "--keep-node"});
  one.obey();
  const Finished done = command.wait();
  EXPECT_EQ(done.status, 7) << done.errors;
  expect_contains(done.output, "node1: empty, but not safe to power off: still in job 17, as was asked for\n");
  EXPECT_EQ(migrate({"--evacuate", "node1", "--keep-node"}).status, 7);
  const Finished again = migrate({"--evacuate", "node1"});
  EXPECT_EQ(again.status, 0) << again.output << again.errors;
  EXPECT_TRUE(again.output.ends_with("\nnode1: safe to power off\n")) << again.output;
  EXPECT_EQ(migrate({"--rank", "1", "--to", "node2", "--keep-node"}).status, 2) << "only for evacuations";
}

TEST_F(EvacuationTest, TheNodeOfCppcRunIsToldAsSuchUnlessTheBatchScriptIsThere) {
  for (const auto& [state, status] : std::vector<std::pair<FakeManager::State, int>>{
           {FakeManager::State::kept, 5}, {FakeManager::State::batch_host, 8}}) {
    FakeManager manager(state);
    FakeJob one("app-1", jobs_, kNodes, &manager, "node1");
    await_running(1);
    Process command = start({"--evacuate", "node1"});
    one.obey();
    EXPECT_EQ(command.wait().status, status);
  }
}

TEST_F(EvacuationTest, AsksAllJobsBeforeItWaitsForOne) {
  FakeJob one("app-1", jobs_), other("other-2", jobs_);
  await_running(2);
  Process command = start({"--evacuate", "node1"});
  other.obey();
  one.obey();
  EXPECT_EQ(command.wait().status, 0);
}

TEST_F(EvacuationTest, JsonHasAllJobs) {
  FakeJob one("app-1", jobs_), other("other-2", jobs_);
  await_running(2);
  Process command = start({"--evacuate", "node1", "--json"});
  one.obey();
  other.obey();
  const json done = json::parse(command.wait().output);
  EXPECT_EQ(done["node"], "node1");
  EXPECT_EQ(done["safe"], true);
  ASSERT_EQ(done["jobs"].size(), 2u);
  EXPECT_EQ(done["jobs"][1]["job"], "other-2");
  EXPECT_EQ(done["jobs"][1]["state"], "done");
  EXPECT_EQ(done["left"], json::array());
}

TEST_F(EvacuationTest, WithOneJobOnlyItSaysWhichOthersAreLeft) {
  FakeJob one("app-1", jobs_), other("other-2", jobs_);
  await_running(2);
  Process first = start({"--evacuate", "node1", "--job", "app-1"});
  one.obey();
  const Finished left = first.wait();
  EXPECT_EQ(left.status, 6) << left.errors;
  EXPECT_TRUE(left.output.ends_with("\nnode1: not safe to power off: still there: other-2\n")) << left.output;
  Process second = start({"--evacuate", "node1", "--json"});
  other.obey();
  const Finished done = second.wait();
  EXPECT_EQ(done.status, 0) << done.errors;
  EXPECT_EQ(json::parse(done.output)["jobs"].size(), 1u) << "the first has left already";
  EXPECT_EQ(migrate({"--evacuate", "node1"}).output, "node1: safe to power off\n");
}

TEST_F(EvacuationTest, IsNotSafeWhenOneJobCannotLeave) {
  FakeJob one("app-1", jobs_), other("other-2", jobs_);
  await_running(2);
  Process command = start({"--evacuate", "node1"});
  one.obey();
  other.fail("rank 2 has active requests");
  const Finished failed = command.wait();
  EXPECT_EQ(failed.status, 1);
  expect_contains(failed.errors, "job other-2: failed; the job goes on as before: rank 2 has active requests\n");
  expect_contains(failed.output, "node1: not safe to power off: still there: other-2\n");
}

TEST_F(EvacuationTest, AJobThatEndsMeanwhileIsGone) {
  FakeJob one("app-1", jobs_), other("other-2", jobs_);
  await_running(2);
  Process command = start({"--evacuate", "node1"});
  one.obey();
  other.end();
  const Finished finished = command.wait();
  EXPECT_EQ(finished.status, 0) << finished.errors;
  expect_contains(finished.output, "job other-2: is not there any more\nnode1: safe to power off\n");
}

TEST_F(EvacuationTest, TheNodeOfCppcRunIsEmptyButNotSafe) {
  const Nodes nodes{{"node0", 2}, {"head", 2}, {"node2", 2}};
  FakeJob job("app-1", jobs_, nodes);
  await_running(1);
  Process command = start({"--evacuate", "head"});
  job.obey();
  const Finished done = command.wait();
  EXPECT_EQ(done.status, 5) << done.errors;
  expect_contains(done.output, "head: empty, but cppc-run runs here: do not power it off before the end of app-1\n");
  expect_lacks(done.output, "safe to power off");
  const Finished again = migrate({"--evacuate", "head", "--json"});
  EXPECT_EQ(again.status, 5);
  EXPECT_EQ(json::parse(again.output)["safe"], false);
  EXPECT_EQ(json::parse(again.output)["controllers"], json::array({"app-1"}));
}

TEST_F(EvacuationTest, AJobThatDoesNotAnswerMayBeOnTheNode) {
  FakeJob job("app-1", jobs_);
  const SilentJob silent(jobs_ + "/silent-3.sock");
  await_running(1);
  Process command = start({"--evacuate", "node1"});
  job.obey();
  const Finished done = command.wait();
  EXPECT_EQ(done.status, 6) << done.errors;
  expect_contains(done.output, "node1: not known to be safe to power off: no answer from job silent-3");
}

TEST_F(EvacuationTest, JobsMayCallTheNodeByOtherNames) {
  const Nodes by_address{{"10.0.0.1", 2}, {"10.0.0.2", 2}, {"10.0.0.3", 2}};
  FakeJob one("app-1", jobs_), other("other-2", jobs_, by_address);
  await_running(2);
  Process command = start({"--evacuate", "node1.cluster.example"});
  one.obey();
  other.obey();
  const Finished done = command.wait();
  EXPECT_EQ(done.status, 0) << done.errors;
  expect_contains(done.output, "rank 2: 10.0.0.2 -> 10.0.0.3");
}

TEST_F(EvacuationTest, ANodeThatNoJobKnowsIsRefused) {
  FakeJob one("app-1", jobs_), other("other-2", jobs_);
  await_running(2);
  const Finished refused = migrate({"--evacuate", "node9"});
  EXPECT_EQ(refused.status, 3);
  EXPECT_EQ(refused.errors, "migrate: refused: no job has a node node9\n");
  EXPECT_EQ(refused.output, "");
}

TEST_F(EvacuationTest, ADryRunTellsOfAllJobs) {
  FakeJob one("app-1", jobs_), other("other-2", jobs_);
  await_running(2);
  EXPECT_EQ(migrate({"--evacuate", "node1", "--dry-run"}).output,
            "job app-1: would move rank 2: node1 -> node2, rank 3: node1 -> node2\n"
            "job other-2: would move rank 2: node1 -> node2, rank 3: node1 -> node2\n");
}

TEST_F(EvacuationTest, RootSeesTheJobsOfAllUsers) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  make(others_);
  FakeJob own("app-1", jobs_), foreign("other-2", others_);
  ASSERT_EQ(chown(others_.c_str(), 12345, static_cast<gid_t>(-1)), 0);
  await_running(2);
  const json status = json::parse(migrate({"status", "--json"}).output);
  EXPECT_EQ(status[1]["user"], "12345");
  expect_contains(migrate({"status"}).output, "job other-2: ./app, running, process ");
  EXPECT_EQ(migrate({"--rank", "0", "--to", "node2", "--dry-run"}).status, 0) << "means root's own job";
  Process command = start({"--evacuate", "node1"});
  own.obey();
  foreign.obey();
  EXPECT_TRUE(command.wait().output.ends_with("\nnode1: safe to power off\n"));
}

TEST(Text, HasNoControlCharacters) { EXPECT_EQ(text(json{{"reason", "x\x1b[2J\ny\x7f"}}, "reason"), "x?[2J?y?"); }

}  // namespace
}  // namespace cppc::migrate
