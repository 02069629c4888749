/// How nodes are emptied, with a migrate that is a script.
#include "evacuator.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "../temporary_directory.hpp"

namespace cppc::health {
namespace {

using namespace std::chrono_literals;

// Two jobs have node1: a small one and a large one.
const std::string two_jobs = R"([
 {"job":"large-1","nodes":[{"node":"node1","host":"node1","state":"up"}],"ranks":[{"rank":0,"node":"node1","bytes":900000000},{"rank":1,"node":"node0","bytes":1}]},
 {"job":"small-2","nodes":[{"node":"node1","host":"node1","state":"up"}],"ranks":[{"rank":0,"node":"node1","bytes":50000000}]}])";

class EvacuatorTest : public testing::Test {
 protected:
  /// `answers`: shell code that sees migrate's arguments, but for a status.
  void start(const std::string& status, const std::string& answers, bool dry_run = false) {
    directory_.write("status.json", status);
    const std::string folder = directory_.path();
    const std::string script = directory_.script(
        "migrate", "cd " + folder +
                       "\nif [ \"$1\" = status ]; then cat status.json; cat silent >&2 2>/dev/null; exit 0; fi\n"
                       "echo \"$@\" >>calls\n" +
                       answers);
    evacuator_.emplace(script, dry_run, slurm_);
  }
  Report empty(Time left = 600s, const std::string& node = "node1", std::set<std::string> avoid = {}) {
    const auto announce = [this](const std::string& text) { announced_ += text; };
    return (*evacuator_)({{node, left, "cause", "test", 1}, std::move(avoid), announce, {}});
  }
  std::string calls() const {
    std::ostringstream text;
    text << std::ifstream(directory_.path() + "/calls").rdbuf();
    return text.str();
  }

  test::TemporaryDirectory directory_;
  std::optional<Evacuator> evacuator_;
  bool slurm_ = false;
  std::string announced_;
};

TEST_F(EvacuatorTest, AsksMigrateWithTheTimeThatIsLeft) {
  start(
      two_jobs,
      R"(echo '{"node":"node1","safe":true,"verdict":"safe to power off","jobs":[{"job":"small-2","state":"done","image_bytes":50000000,"seconds":0.5}]}')");
  const Report report = empty(600s, "node1", {"node2", "node3"});
  EXPECT_EQ(report.outcome, Outcome::emptied);
  EXPECT_EQ(report.result, "done");
  EXPECT_EQ(report.summary, "safe to power off; job small-2: 50 MB moved in 0.50 s");
  const std::string asked = calls();
  EXPECT_EQ(asked.substr(0, asked.find("--timeout")), "--evacuate node1 --json ");
  EXPECT_NE(asked.find("--avoid node2,node3"), std::string::npos) << asked;
  EXPECT_LE(std::stod(asked.substr(asked.find("--timeout") + 10)), 600);
  EXPECT_GT(std::stod(asked.substr(asked.find("--timeout") + 10)), 500);
}

TEST_F(EvacuatorTest, NamesTheJobThatRefuses) {
  start(
      two_jobs,
      R"(echo '{"node":"node1","safe":false,"verdict":"not safe to power off: still there: large-1","jobs":[{"job":"large-1","error":"refused: rank 0 needs 900 MB of memory"},{"job":"small-2","state":"failed","reason":"rank 0 has a pipe"}]}'; exit 3)");
  const Report report = empty();
  EXPECT_EQ(report.outcome, Outcome::failed);
  EXPECT_EQ(report.result, "refused");
  EXPECT_EQ(report.summary,
            "not safe to power off: still there: large-1; job large-1: refused: rank 0 needs 900 MB of memory; "
            "job small-2: failed: rank 0 has a pipe");
}

TEST_F(EvacuatorTest, StatusesOfMigrateTellHowItEnded) {
  for (const auto& [status, outcome, result] :
       std::vector<std::tuple<int, Outcome, std::string>>{{5, Outcome::emptied, "controller-here"},
                                                          {6, Outcome::failed, "others-left"},
                                                          {7, Outcome::failed, "node-kept"},
                                                          {8, Outcome::emptied, "batch-host"},
                                                          {9, Outcome::emptied, "no-second-release"},
                                                          {124, Outcome::failed, "timeout"},
                                                          {1, Outcome::failed, "failed"},
                                                          {139, Outcome::failed, "failed"},
                                                          {4, Outcome::hopeless, "damaged"},
                                                          {2, Outcome::hopeless, "wrong-usage"}}) {
    start(two_jobs, "echo 'migrate: what went wrong' >&2; exit " + std::to_string(status));
    const Report report = empty();
    EXPECT_EQ(report.outcome, outcome) << status;
    EXPECT_EQ(report.result, result) << status;
    EXPECT_EQ(report.summary, "migrate: what went wrong");
  }
}

TEST_F(EvacuatorTest, ANodeThatNoJobHasIsEmpty) {
  start(two_jobs, "exit 1");
  EXPECT_EQ(empty(600s, "node3").result, "nothing-there");
  EXPECT_EQ(calls(), "");
  start("[]", "exit 1");
  EXPECT_EQ(empty().outcome, Outcome::emptied);
}

TEST_F(EvacuatorTest, ANodeIsNotEmptyForJobsThatDoNotAnswer) {
  directory_.write("silent", "migrate: no answer from job large-1 of user1\n");
  start("[]", "exit 1");
  const Report report = empty();
  EXPECT_EQ(report.outcome, Outcome::failed);
  EXPECT_EQ(report.summary, "not known to be empty: migrate: no answer from job large-1 of user1");
}

TEST_F(EvacuatorTest, SlurmKeepsNewJobsOffTheNode) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", (directory_.path() + ":" + path).c_str(), 1);
  directory_.script("scontrol", "echo \"$@\" >>" + directory_.path() + "/drained");
  slurm_ = true;
  start("[]", "exit 1");
  EXPECT_EQ(empty().outcome, Outcome::emptied);
  std::ostringstream drained;
  drained << std::ifstream(directory_.path() + "/drained").rdbuf();
  EXPECT_EQ(drained.str(), "update nodename=node1 state=drain reason=cppc: cause\n");
  EXPECT_EQ(announced_, "");
  directory_.script("scontrol", "echo 'Invalid user id' >&2; exit 1");
  EXPECT_EQ(empty().outcome, Outcome::emptied) << "all the same";
  EXPECT_EQ(announced_, "is not drained in Slurm, new jobs may come: Invalid user id");
  setenv("PATH", path.c_str(), 1);
}

TEST_F(EvacuatorTest, AMigrateThatDoesNotWorkEmptiesNothing) {
  start("no JSON", "exit 0");
  EXPECT_EQ(empty().outcome, Outcome::failed);
  evacuator_.emplace("/nonexistent/migrate", false, false);
  EXPECT_EQ(empty().summary, "cannot start /nonexistent/migrate: No such file or directory");
}

TEST_F(EvacuatorTest, ADryRunOnlyPlans) {
  start(
      two_jobs,
      R"(case "$*" in *--dry-run*) echo '{"node":"node1","jobs":[{"job":"large-1","moves":[{},{}]},{"job":"small-2","error":"there is nowhere to go"}]}'; exit 3;; esac)",
      true);
  const Report report = empty();
  EXPECT_EQ(report.outcome, Outcome::failed);
  EXPECT_EQ(report.summary, "dry run: job large-1: 2 ranks would move; job small-2: there is nowhere to go");
  EXPECT_EQ(calls(), "--evacuate node1 --json --dry-run\n");
}

TEST_F(EvacuatorTest, WhenTheTimeIsTooShortItSaysSoAndTakesTheSmallestFirst) {
  start(
      two_jobs,
      R"(case "$*" in *small-2*) verdict='not safe to power off: still there: large-1'; status=6;; *) verdict='safe to power off'; status=0;; esac
echo '{"verdict":"'"$verdict"'","jobs":[{"job":"j","state":"done","image_bytes":50000000,"seconds":0.5}]}'; exit $status)");
  EXPECT_EQ(empty().outcome, Outcome::emptied) << "and how fast that was is known from now on: 100 MB/s";
  EXPECT_EQ(announced_, "");
  std::filesystem::remove(directory_.path() + "/calls");
  const Report report = empty(5s);
  EXPECT_EQ(announced_,
            "cannot be emptied in time: 950 MB at 100 MB/s take 10 s, and 5 s are left; the smallest jobs go first");
  EXPECT_EQ(report.outcome, Outcome::emptied) << report.summary;
  const std::string asked = calls();
  EXPECT_LT(asked.find("--job small-2"), asked.find("--job large-1"));
  EXPECT_NE(asked.find("--job large-1"), std::string::npos) << asked;
}

}  // namespace
}  // namespace cppc::health
