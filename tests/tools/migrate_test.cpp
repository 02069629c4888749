/// The operator's command: migrations, and how it ends.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "migrate_fixture.hpp"
#include "progress.hpp"

namespace cppc::migrate {
namespace {

using nlohmann::json;
using test::Finished;
using test::Process;

TEST_F(MigrateTest, ReturnsWhenTheMigrationIsDone) {
  start();
  Process command = start_migrate({"--rank", "3", "--to", "node2"});
  agents_->obey(agents_->order());
  const Finished finished = command.wait();
  EXPECT_EQ(finished.status, 0) << finished.errors;
  EXPECT_EQ(finished.output.substr(0, 54), "migration 1 of job app-1: rank 3: node1 -> node2\nprepa")
      << finished.output;
  EXPECT_NE(finished.output.find("64 MB moved, ranks stood still for 12 ms\n"), std::string::npos) << finished.output;
  EXPECT_EQ(finished.output.find('\r'), std::string::npos) << "not on a terminal";
  EXPECT_EQ(finished.errors, "");
}

TEST_F(MigrateTest, SaysEachPhaseOnce) {
  start();
  Process command = start_migrate({"--rank", "3", "--to", "node2"});
  const wire::Order order = agents_->order();
  for (const char* phase : {"negotiate", "freeze"}) {
    (*agents_)[0].send(wire::Progress{order.id, phase, 0, 0});
    while (command.output().find(phase) == std::string::npos) std::this_thread::yield();
  }
  (*agents_)[0].send(wire::Progress{order.id, "ship", 1'000'000, 64'000'000});
  while (command.output().find("ship: 64 MB\n") == std::string::npos) std::this_thread::yield();
  agents_->obey(order);
  const std::string output = command.wait().output;
  EXPECT_NE(output.find("prepare\nnegotiate\nfreeze\nship: 64 MB\n"), std::string::npos) << output;
}

TEST_F(MigrateTest, SaysForWhichRankItWaits) {
  start();
  Process command = start_migrate({"--rank", "3", "--to", "node2"});
  const wire::Order order = agents_->order();
  const auto await = [&](const char* line) {
    while (command.output().find(line) == std::string::npos) std::this_thread::yield();
  };
  (*agents_)[0].send(wire::Progress{order.id, "negotiate", 0, 0});
  (*agents_)[0].send(wire::Late{order.id, 0, "rank 1 is late"});
  await("negotiate: rank 1 is late\n");
  (*agents_)[1].send(wire::Late{order.id, 1, "rank 3 is late"});
  await("negotiate: rank 1 is late (and ranks of 1 more node)\n");
  agents_->obey(order);
  EXPECT_EQ(command.wait().status, 0);
}

TEST_F(MigrateTest, PrintsTheTraceOfAMigration) {
  start();
  Process command = start_migrate({"--rank", "3", "--to", "node2"});
  agents_->obey(agents_->order());
  command.wait();
  const Finished traced = migrate({"trace", "1"});
  EXPECT_EQ(traced.status, 0) << traced.errors;
  EXPECT_EQ(json::parse(traced.output)["otherData"]["job"], "app-1");
  const Finished none = migrate({"trace", "2"});
  EXPECT_EQ(none.status, 3);
  EXPECT_EQ(none.errors, "migrate: there is no migration 2\n");
  EXPECT_EQ(migrate({"trace", "x"}).status, 2);
  EXPECT_EQ(migrate({"trace"}).status, 2);
  EXPECT_EQ(migrate({"trace", "1", "--rank", "3"}).status, 2);
}

TEST_F(MigrateTest, SeveralRanksAndEvacuations) {
  start();
  Process several = start_migrate({"--rank", "0,3", "--to", "node2"});
  const wire::Order order = agents_->order();
  EXPECT_EQ(order.moves.size(), 2u);
  agents_->obey(order);
  EXPECT_EQ(several.wait().status, 0);

  Process evacuation = start_migrate({"--evacuate", "node1", "--to", "node0,node2"});
  agents_->obey(agents_->order());
  const Finished finished = evacuation.wait();
  EXPECT_EQ(finished.status, 0);
  EXPECT_NE(finished.output.find("node1: safe to power off\n"), std::string::npos) << finished.output;
}

TEST_F(MigrateTest, AnEvacuationAvoidsNodes) {
  start();
  const Finished planned = migrate({"--evacuate", "node1", "--avoid", "node2,elsewhere", "--dry-run"});
  EXPECT_EQ(planned.output, "would move rank 2: node1 -> node0, rank 3: node1 -> node0\n") << planned.errors;
  const Finished nowhere = migrate({"--evacuate", "node1", "--avoid", "node0,node2"});
  EXPECT_EQ(nowhere.status, 3);
  EXPECT_NE(nowhere.errors.find("all other nodes of the job are to be avoided"), std::string::npos) << nowhere.errors;
  EXPECT_EQ(migrate({"--evacuate", "node1", "--avoid", "node2", "--to", "node0"}).status, 2);
}

TEST_F(MigrateTest, ExitStatusSaysHowItEnded) {
  start();
  Process failed = start_migrate({"--rank", "3", "--to", "node2"});
  conclude(CPPC_ERR_NOT_QUIET, "rank 2 has active requests");
  const Finished how = failed.wait();
  EXPECT_EQ(how.status, 1);
  EXPECT_EQ(how.errors, "migrate: failed; the job goes on as before: rank 2 has active requests\n");

  Process damaged = start_migrate({"--rank", "3", "--to", "node2"});
  conclude(CPPC_ERR_PEER, "rank 2 was lost");
  const Finished worse = damaged.wait();
  EXPECT_EQ(worse.status, 4);
  EXPECT_EQ(worse.errors, "migrate: the job is damaged: rank 2 was lost\n");
}

TEST_F(MigrateTest, OneThatFailsAsTheJobIsStartedAgainIsNotSaidToLeaveItAsItWas) {
  start();
  Process failed = start_migrate({"--rank", "3", "--to", "node2"});
  agents_->order();
  controller_->interrupted("the job has been lost, and is started again");
  const Finished how = failed.wait();
  EXPECT_EQ(how.status, 1);
  EXPECT_EQ(how.errors, "migrate: failed: the job has been lost, and is started again\n");
}

TEST_F(MigrateTest, ARefusalIsStatus3) {
  start();
  const Finished refused = migrate({"--rank", "9", "--to", "node2"});
  EXPECT_EQ(refused.status, 3);
  EXPECT_EQ(refused.errors, "migrate: refused: there is no rank 9: the job has ranks 0 to 3\n");
  EXPECT_EQ(migrate({"--rank", "0", "--to", "node0"}).status, 3);
  EXPECT_EQ(migrate({"--evacuate", "node9", "--dry-run"}).status, 3);
}

/// What `first`, the order `id`, had to bring about is not so when the turn of `second` comes.
class QueuedTest : public MigrateTest {
 protected:
  void fail_before(const Process& second, Process& first, std::uint64_t id) {
    while (second.output().find("queued") == std::string::npos) std::this_thread::yield();
    (*agents_)[0].send(wire::Outcome{id, CPPC_ERR_FABRIC, "no route"});
    EXPECT_EQ(first.wait().status, 1);
  }
};

TEST_F(QueuedTest, OneThatIsRefusedLaterIsStatus3) {
  start();
  Process first = start_migrate({"--rank", "3", "--to", "node2"});
  const wire::Order order = agents_->order();
  Process second = start_migrate({"--rank", "3", "--to", "node1"});
  fail_before(second, first, order.id);
  const Finished refused = second.wait();
  EXPECT_EQ(refused.status, 3);
  EXPECT_EQ(refused.errors, "migrate: refused: rank 3 is on node1 already\n");
}

TEST_F(QueuedTest, OneThatIsPlannedAnewIsAnnouncedAgain) {
  start();
  Process first = start_migrate({"--rank", "3", "--to", "node0"});
  const wire::Order order = agents_->order();
  Process second = start_migrate({"--evacuate", "node1", "--to", "node2"});
  fail_before(second, first, order.id);
  agents_->obey(agents_->order());
  const Finished evacuated = second.wait();
  EXPECT_NE(evacuated.output.find(": rank 2: node1 -> node2\n"), std::string::npos) << evacuated.output;
  EXPECT_NE(evacuated.output.find(": now rank 2: node1 -> node2, rank 3: node1 -> node2\n"), std::string::npos)
      << evacuated.output;
}

TEST_F(MigrateTest, TimeoutCancels) {
  start();
  Process command = start_migrate({"--rank", "3", "--to", "node2", "--timeout", "0.2"});
  const wire::Order order = agents_->order();
  EXPECT_EQ(order.timeout_s, 0.2);
  EXPECT_EQ((*agents_)[0].expect<wire::Cancel>().id, order.id);
  (*agents_)[0].send(wire::Outcome{order.id, CPPC_ERR_CANCELLED, "cancelled"});
  const Finished finished = command.wait();
  EXPECT_EQ(finished.status, 124);
  EXPECT_EQ(finished.errors, "migrate: not done in time; the job goes on as before: cancelled\n");
}

TEST_F(MigrateTest, ATimeoutThatComesTooLateIsNone) {
  start();
  Process command = start_migrate({"--rank", "3", "--to", "node2", "--timeout", "0.2"});
  const wire::Order order = agents_->order();
  for (int agent = 0; agent < 3; ++agent) (*agents_)[agent].expect<wire::Cancel>();
  agents_->obey(order);  // the commit had begun
  EXPECT_EQ(command.wait().status, 0);
}

TEST_F(MigrateTest, AJobThatDoesNotConfirmTheCancellationIsNotWaitedFor) {
  start();
  const auto begin = std::chrono::steady_clock::now();
  Process command = start_migrate({"--rank", "3", "--to", "node2", "--timeout", "0.2"});
  const wire::Order order = agents_->order();
  const Finished finished = command.wait();
  EXPECT_EQ(finished.status, 124);
  EXPECT_NE(finished.errors.find("cancelled, but the job has not confirmed it"), std::string::npos) << finished.errors;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST_F(MigrateTest, ACppcRunThatDoesNotAnswerIsNotWaitedFor) {
  boost::asio::io_context context;
  const auto listener = tools::listen_on_unix(context, jobs_ + "/busy-1.sock").value();
  const auto begin = std::chrono::steady_clock::now();
  const Finished finished = migrate({"--rank", "3", "--to", "node2", "--timeout", "0.2"});
  EXPECT_EQ(finished.status, 124);
  EXPECT_NE(finished.errors.find("no answer from job busy-1"), std::string::npos) << finished.errors;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST_F(MigrateTest, TheAgentsOwnDeadlineIsATimeoutOnlyWhenOneWasGiven) {
  start();
  Process with = start_migrate({"--rank", "3", "--to", "node2", "--timeout", "600"});
  conclude(CPPC_ERR_TIMEOUT, "rank 2 did not come by");
  EXPECT_EQ(with.wait().status, 124);
  Process without = start_migrate({"--rank", "3", "--to", "node2"});
  conclude(CPPC_ERR_TIMEOUT, "rank 2 did not come by");
  EXPECT_EQ(without.wait().status, 1);
}

TEST_F(MigrateTest, DryRun) {
  start();
  EXPECT_EQ(migrate({"--rank", "3", "--to", "node2", "--dry-run"}).output, "would move rank 3: node1 -> node2\n");
  EXPECT_EQ(migrate({"--evacuate", "node2", "--dry-run"}).output, "would move nothing: no rank is on node2\n");
  const Finished as_json = migrate({"--evacuate", "node1", "--dry-run", "--json"});
  EXPECT_EQ(json::parse(as_json.output)["jobs"][0]["moves"].size(), 2u);
}

TEST_F(MigrateTest, JsonIsTheResultAndNothingElse) {
  start();
  Process command = start_migrate({"--rank", "3", "--to", "node2", "--json"});
  agents_->obey(agents_->order());
  const json done = json::parse(command.wait().output);
  EXPECT_EQ(done["state"], "done");
  EXPECT_EQ(done["frozen_ms"], 12);
  const Finished refused = migrate({"--rank", "9", "--to", "node2", "--json"});
  EXPECT_EQ(refused.status, 3);
  EXPECT_NE(json::parse(refused.output)["error"].get<std::string>().find("no rank 9"), std::string::npos);
}

TEST_F(MigrateTest, DuringStartUpItWaits) {
  controller_ = start_job("app-1");
  Process dry_run = start_migrate({"--rank", "0", "--to", "node2", "--dry-run"});
  Process command = start_migrate({"--rank", "3", "--to", "node2"});
  while (command.output().find("waits until the job has started") == std::string::npos) std::this_thread::yield();
  start_agents();
  agents_->obey(agents_->order());
  EXPECT_EQ(command.wait().status, 0);
  EXPECT_EQ(dry_run.wait().output, "would move rank 0: node0 -> node2\n");
}

TEST_F(MigrateTest, TheEndOfTheJobEndsItsMigration) {
  start();
  Process command = start_migrate({"--rank", "3", "--to", "node2"});
  agents_->order();
  controller_->ended(139);
  controller_.reset();
  const Finished finished = command.wait();
  EXPECT_EQ(finished.status, 4);
  EXPECT_EQ(finished.errors, "migrate: the job is damaged: the job has ended with status 139\n");
}

TEST_F(MigrateTest, WrongUsageIsStatus2) {
  for (const Words& words : std::vector<Words>{{},
                                               {"--rank", "1"},
                                               {"--to", "node1"},
                                               {"--rank", "x", "--to", "node1"},
                                               {"--rank", "1", "--evacuate", "node1", "--to", "node2"},
                                               {"--rank", "1", "--to", "node1", "--timeout", "-1"},
                                               {"--rank", "1", "--to", "node1", "--timeout", "soon"},
                                               {"status", "--rank", "1", "--to", "node1"},
                                               {"stats"},
                                               {"--rank", "1", "--to", "node1", "more"}}) {
    const Finished wrong = migrate(words);
    EXPECT_EQ(wrong.status, 2) << wrong.output << wrong.errors;
    EXPECT_NE(wrong.errors, "");
  }
  EXPECT_EQ(migrate({"--help"}).status, 0);
  EXPECT_EQ(migrate({"--version"}).output, "migrate " CPPC_VERSION "\n");
}

TEST_F(MigrateTest, WrongValuesAreNamed) {
  const auto says = [this](const Words& words, const std::string& message) {
    const Finished wrong = migrate(words);
    EXPECT_EQ(wrong.status, 2);
    EXPECT_EQ(wrong.errors.substr(0, message.size()), message);
  };
  says({"--rank", "1", "--to", "node1", "--timeout", "soon"},
       "--timeout: \"soon\" is no number of seconds above 0, and at most 1000000000\n");
  says({"trace", "-1"}, "ID: \"-1\" is no whole number from 0 up\n");
  says({"--rank", "1,a", "--to", "node1"}, "--rank: \"a\" is no whole number from 0 up\n");
  for (const char* option : {"--to", "--evacuate", "--add", "--restore", "--avoid"})
    says({option, ""}, option + std::string(": an empty word is no name\n"));
}

TEST_F(MigrateTest, AWorkingDirectoryThatHasBeenRemovedIsNamed) {
  const Finished wrong =
      Process({"sh", "-c", "mkdir $$ && cd $$ && rmdir ../$$ && exec \"$0\" checkpoint --to here", MIGRATE_PROGRAM})
          .wait();
  EXPECT_EQ(wrong.status, 2) << wrong.errors;
  EXPECT_NE(wrong.errors.find("the working directory is not there any more"), std::string::npos) << wrong.errors;
}

TEST_F(MigrateTest, WithJsonEveryFailureIsJson) {
  const auto says = [this](const Words& words, int status, const std::string& reason) {
    const Finished failed = migrate(words);
    EXPECT_EQ(failed.status, status);
    EXPECT_EQ(json::parse(failed.output), json({{"error", reason}})) << failed.output;
    EXPECT_EQ(failed.errors, "migrate: " + reason + "\n");
  };
  says({"--rank", "3", "--to", "node2", "--json"}, 3, "no job is running that cppc-run has started on this machine");
  const auto first = start_job("app-1"), second = start_job("other-2");
  says({"--rank", "3", "--to", "node2", "--json"}, 2, "several jobs are running: app-1, other-2; choose with --job");
  says({"--job", "gone-3", "--rank", "3", "--to", "node2", "--json"}, 3, "there is no job gone-3, or it has ended");
  says({"--job", "app-1", "trace", "7", "--json"}, 3, "there is no migration 7");
}

TEST_F(MigrateTest, OutputThatCannotBeWrittenIsAFailure) {
  for (const char* words : {"status", "status --json"}) {
    const Finished full = Process({"sh", "-c", std::string(MIGRATE_PROGRAM " ") + words + " >/dev/full"},
                                  {"CPPC_JOB_DIRECTORIES=" + jobs_})
                              .wait();
    EXPECT_EQ(full.status, 1);
    EXPECT_EQ(full.errors, "migrate: cannot write to standard output: No space left on device\n");
  }
}

// script(1) gives it a terminal.
TEST_F(MigrateTest, OnATerminalThereIsABar) {
  start();
  Process command({"script", "-qec", MIGRATE_PROGRAM " --rank 3 --to node2", "/dev/null"},
                  {"CPPC_JOB_DIRECTORIES=" + jobs_});
  const wire::Order order = agents_->order();
  (*agents_)[0].send(wire::Progress{order.id, "ship", 16'000'000, 64'000'000});
  while (command.output().find("\r[######------------------] ship: 16 of 64 MB") == std::string::npos) {
    std::this_thread::yield();
  }
  (*agents_)[0].send(wire::Progress{order.id, "ship", 32'000'000, 64'000'000});
  while (command.output().find("ship: 32 of 64 MB, ") == std::string::npos) std::this_thread::yield();
  agents_->obey(order);
  const Finished finished = command.wait();
  EXPECT_EQ(finished.status, 0);
  EXPECT_NE(finished.output.find("MB/s, "), std::string::npos);
  EXPECT_NE(finished.output.find("\r\x1b[Kdone in "), std::string::npos) << finished.output;
}

TEST(Bar, ShowsWhatIsKnown) {
  EXPECT_EQ(bar("prepare", 0, 0, std::nullopt), "[------------------------] prepare");
  EXPECT_EQ(bar("ship", 60'000'000, 240'000'000, std::nullopt), "[######------------------] ship: 60 of 240 MB");
  EXPECT_EQ(bar("ship", 60'000'000, 240'000'000, 120e6),
            "[######------------------] ship: 60 of 240 MB, 120 MB/s, 2 s left");
  EXPECT_EQ(bar("ship", 9, 7, 1.0), "[########################] ship: 0.0 of 0.0 MB, 0.0 MB/s, 0 s left");
}

}  // namespace
}  // namespace cppc::migrate
