/// The operator's command, with a controller and agents that are not real.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "controller.hpp"
#include "fake_agents.hpp"
#include "process.hpp"
#include "temporary_directory.hpp"

namespace cppc::migrate {

class MigrateTest : public testing::Test {
 protected:
  using Words = std::vector<std::string>;

  MigrateTest() {
    std::filesystem::create_directory(jobs_), std::filesystem::permissions(jobs_, std::filesystem::perms::owner_all);
  }

  std::unique_ptr<run::Controller> start_job(const std::string& id) {
    return run::Controller::start({id, "./app", {{"node0", 2}, {"node1", 2}, {"node2", 2}}, "head"}, "key", jobs_)
        .value();
  }
  // A job of four ranks, two each on node0 and node1.
  void start() {
    controller_ = start_job("app-1");
    start_agents();
  }
  void start_agents() {
    agents_.emplace(controller_->addresses(), "key", std::vector<std::vector<int>>{{0, 1}, {2, 3}, {}});
    while (nlohmann::json::parse(migrate({"status", "--json"}).output)[0]["state"] != "running")
      std::this_thread::yield();
  }

  test::Process start_migrate(Words arguments) const {
    arguments.insert(arguments.begin(), MIGRATE_PROGRAM);
    return test::Process(arguments, {"CPPC_JOB_DIRECTORIES=" + jobs_});
  }
  test::Finished migrate(const Words& arguments) const { return start_migrate(arguments).wait(); }

  // The agents say that a migration ended in this way.
  void conclude(cppc_status status, const std::string& reason) {
    const auto id = agents_->order().id;
    (*agents_)[0].send(wire::Outcome{id, status, reason});
  }

  test::TemporaryDirectory directory_;
  const std::string jobs_ = directory_.path() + "/cppc";
  std::unique_ptr<run::Controller> controller_;
  std::optional<test::FakeAgents> agents_;
};

}  // namespace cppc::migrate
