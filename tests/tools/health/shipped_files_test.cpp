/// The example configurations, alert rules and the dashboard are right, and the man page has all that there is.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "../temporary_directory.hpp"
#include "configuration.hpp"
#include "job_metrics.hpp"
#include "metrics.hpp"
#include "process.hpp"

namespace cppc::health {
namespace {

using nlohmann::json;

std::string path_of(const std::string& name) { return std::string(CPPC_HEALTH_FILES "/") + name; }

std::string content(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(path_of(name)).rdbuf();
  return text.str();
}

bool is_installed(const std::string& program) { return test::run({"sh", "-c", "command -v " + program}).status == 0; }

// Every "expr" in the dashboard.
void expressions(const json& value, std::vector<std::string>& into) {
  if (value.is_object() && value.contains("expr")) into.push_back(value["expr"]);
  if (value.is_structured())
    for (const json& one : value) expressions(one, into);
}

TEST(ShippedFiles, ExamplesAreRight) {
  for (const char* name : {"health.toml", "health-node.toml"}) {
    const auto read = read_configuration(path_of(name));
    EXPECT_TRUE(read.has_value()) << read.error();
  }
  const auto example = read_configuration(path_of("health.toml"));
  EXPECT_TRUE(example->listen.has_value());
  EXPECT_GE(example->rules.size(), 3u);
}

TEST(ShippedFiles, PromtoolAcceptsTheAlertRules) {
  if (!is_installed("promtool")) GTEST_SKIP() << "promtool is not installed";
  const auto checked = test::run({"promtool", "check", "rules", path_of("alerts.yml")});
  EXPECT_EQ(checked.status, 0) << checked.output << checked.errors;
}

TEST(ShippedFiles, AmtoolAcceptsTheAlertmanagersConfiguration) {
  if (!is_installed("amtool")) GTEST_SKIP() << "amtool is not installed";
  const auto checked = test::run({"amtool", "check-config", path_of("alertmanager.yml")});
  EXPECT_EQ(checked.status, 0) << checked.output << checked.errors;
}

TEST(ShippedFiles, EachExpressionOfTheDashboardIsOneAndItsMetricsAreServed) {
  const json dashboard = json::parse(content("dashboard.json"), nullptr, false);
  ASSERT_TRUE(dashboard.is_object());
  std::vector<std::string> all;
  expressions(dashboard, all);
  ASSERT_GE(all.size(), 5u);
  Metrics metrics("1", false);
  metrics.notice("s", "log");
  metrics.evacuation("t", "done", 1);
  metrics.polled("s", true);
  metrics.request(200);
  metrics.nodes({{"usable", 1}});
  const json node{{"node", "node0"}, {"ranks", {0}}, {"state", "up"}};
  const json done{{"state", "done"}, {"kind", "move"}};
  const json job{{"job", "a"}, {"nodes", json::array({node})}, {"history", json::array({done})}};
  const std::string served = metrics.text() + job_metrics({{"jobs", json::array({job})}, {"silent", json::array()}});
  std::string rules = "groups:\n- name: dashboard\n  rules:\n";
  for (const std::string& expression : all) {
    const auto name = expression.find("cppc_");
    ASSERT_NE(name, std::string::npos) << expression;
    const std::string metric = expression.substr(name, expression.find_first_of("[{() ,", name) - name);
    EXPECT_NE(served.find("\n" + metric), std::string::npos) << metric;
    rules += "  - record: a:b\n    labels: {n: '" + std::to_string(rules.size()) +
             "'}\n    expr: " + json(expression).dump() + "\n";
  }
  if (!is_installed("promtool")) GTEST_SKIP() << "promtool is not installed";
  const test::TemporaryDirectory directory;
  const auto checked = test::run({"promtool", "check", "rules", directory.write("rules.yml", rules)});
  EXPECT_EQ(checked.status, 0) << checked.output << checked.errors;
}

TEST(ShippedFiles, TheManPageHasAllKeysOfTheConfiguration) {
  const std::string page = content("cppc-health.8");
  for (const char* key : {"scheduler",
                          "nodes",
                          "dry_run",
                          "evacuate_at_once",
                          "per_hour",
                          "keep_nodes",
                          "attempts",
                          "retry_s",
                          "state",
                          "migrate",
                          "address",
                          "token_file",
                          "tls_cert",
                          "tls_key",
                          "kind",
                          "every_s",
                          "run",
                          "name",
                          "base",
                          "match",
                          "action",
                          "deadline_s",
                          "deadline_from",
                          "hold_s",
                          "clear_s",
                          "server",
                          "ca",
                          "node"})
    EXPECT_NE(page.find(std::string("\n.B ") + key + "\n"), std::string::npos) << key;
  const auto formatted = test::run(
      {"sh", "-c", "command -v groff >/dev/null || exit 0; groff -man -ww -z " + path_of("cppc-health.8") + " 2>&1"});
  EXPECT_EQ(formatted.output, "");
}

}  // namespace
}  // namespace cppc::health
