/// Jobs of this machine, as cppc-health shows them, counts them, and passes requests on to them.
#include "jobs.hpp"

#include "../fake_agents.hpp"
#include "controller.hpp"
#include "daemon_fixture.hpp"
#include "job_metrics.hpp"
#include "process.hpp"

namespace cppc::health {
namespace {

using nlohmann::json;

class JobsTest : public DaemonTest {
 protected:
  JobsTest() {
    std::filesystem::create_directory(jobs_);
    std::filesystem::permissions(jobs_, std::filesystem::perms::owner_all);
    setenv("CPPC_JOB_DIRECTORIES", jobs_.c_str(), 1);
    start("[[rule]]\naction = \"log\"\n");
  }
  ~JobsTest() override {
    stop();
    unsetenv("CPPC_JOB_DIRECTORIES");
  }

  void start_job() {
    controller_ = run::Controller::start(
                      {"app-1", "./app", {{"node0", 2}, {"node1", 2}, {"node2", 2}}, "head", "slurm:17"}, "key", jobs_)
                      .value();
    agents_.emplace(controller_->addresses(), "key", std::vector<std::vector<int>>{{0, 1}, {2, 3}, {}});
    await([](const json& job) { return job["state"] == "running"; });
  }
  json jobs() const { return json::parse(ask("GET", "/v1/jobs").body); }
  /// The job, when it is as `is_it` says.
  json await(const std::function<bool(const json&)>& is_it) const {
    while (true) {
      const json now = jobs()["jobs"];
      if (now.size() == 1 && is_it(now[0])) return now[0];
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  std::string metric(const std::string& name) const {
    const std::string all = "\n" + metrics();
    const auto at = all.find("\n" + name + " ");
    return at == std::string::npos ? ""
                                   : all.substr(at + name.size() + 2, all.find('\n', at + 1) - at - name.size() - 2);
  }

  const std::string jobs_ = directory_.path() + "/jobs";
  std::unique_ptr<run::Controller> controller_;
  std::optional<test::FakeAgents> agents_;
};

TEST_F(JobsTest, AreShownCountedAndMoved) {
  EXPECT_EQ(jobs(), json({{"jobs", json::array()}, {"silent", json::array()}}));
  start_job();
  const json job = jobs()["jobs"][0];
  EXPECT_EQ(job["job"], "app-1");
  EXPECT_EQ(job["program"], "./app");
  EXPECT_EQ(job["allocation"], "slurm:17");
  EXPECT_EQ(job["nodes"][1]["ranks"], json::array({2, 3}));
  EXPECT_EQ(metric("cppc_jobs"), "1");
  EXPECT_EQ(metric(R"(cppc_node_ranks{job="app-1",node="node1"})"), "2");
  EXPECT_EQ(metric(R"(cppc_migrations_total{job="app-1",kind="move",result="done"})"), "0");

  const auto dry_run = ask("POST", "/v1/jobs/app-1/migrations", R"({"evacuate":"node1","dry_run":true})");
  EXPECT_EQ(dry_run.status, 200);
  EXPECT_EQ(json::parse(dry_run.body)["moves"].size(), 2u);
  const auto posted = ask("POST", "/v1/jobs/app-1/migrations", R"({"ranks":[3],"to":["node2"]})");
  EXPECT_EQ(posted.status, 202) << posted.body;
  EXPECT_EQ(json::parse(posted.body)["id"], 1);
  EXPECT_NE(audit().find("job app-1: an operator asks by POST /migrations: {\\\"ranks\\\":[3]"), std::string::npos)
      << audit();
  EXPECT_EQ(audit().find("dry_run"), std::string::npos) << "nothing has been asked for by that";
  agents_->obey(agents_->order());
  const json done =
      await([](const json& now) { return now["history"].size() == 1 && now["history"][0]["state"] == "done"; });
  EXPECT_EQ(done["nodes"][2]["ranks"], json::array({3}));
  EXPECT_EQ(metric(R"(cppc_migrations_total{job="app-1",kind="move",result="done"})"), "1");
  EXPECT_EQ(metric(R"(cppc_migration_frozen_seconds_count{job="app-1"})"), "1");
  EXPECT_EQ(metric(R"(cppc_image_bytes_total{job="app-1"})"), "64000000");
  EXPECT_EQ(json::parse(ask("GET", "/v1/jobs/app-1/migrations/1/trace").body)["otherData"]["state"], "done");
}

TEST_F(JobsTest, WhatIsWrongIsRefused) {
  start_job();
  EXPECT_EQ(ask("POST", "/v1/jobs/app-2/migrations", R"({"ranks":[3],"to":["node2"]})").status, 404);
  EXPECT_EQ(ask("POST", "/v1/jobs/../migrations", R"({"ranks":[3],"to":["node2"]})").status, 404);
  EXPECT_EQ(ask("POST", "/v1/jobs/app-1/migrations", "[").status, 400);
  EXPECT_EQ(ask("POST", "/v1/jobs/app-1/migrations", R"({"ranks":[3]})").status, 400);
  const auto refused = ask("POST", "/v1/jobs/app-1/migrations", R"({"ranks":[9],"to":["node2"]})");
  EXPECT_EQ(refused.status, 409);
  EXPECT_NE(refused.body.find("9"), std::string::npos) << refused.body;
  EXPECT_EQ(ask("DELETE", "/v1/jobs/app-1/migrations/7").status, 404);
  EXPECT_EQ(ask("GET", "/v1/jobs/app-1/migrations/1/nothing").status, 404);
  EXPECT_EQ(ask("GET", "/v1/jobs/app-1/nothing").status, 404);
  EXPECT_EQ(ask("GET", "/v1/jobs/").status, 404);
}

TEST_F(JobsTest, PromtoolAcceptsTheirMetrics) {
  start_job();
  agents_.reset();
  if (test::run({"sh", "-c", "command -v promtool"}).status != 0) GTEST_SKIP() << "promtool is not installed";
  const auto checked =
      test::run({"sh", "-c", "promtool check metrics <" + directory_.write("metrics", job_metrics(jobs()))});
  EXPECT_EQ(checked.status, 0) << checked.output << checked.errors;
  EXPECT_EQ(checked.output + checked.errors, "");
}

}  // namespace
}  // namespace cppc::health
