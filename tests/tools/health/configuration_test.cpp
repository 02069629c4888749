#include "configuration.hpp"

#include <gtest/gtest.h>

namespace cppc::health {
namespace {

using namespace std::chrono_literals;

const std::string site = "[site]\nnodes = [\"node0\", \"node1\"]\n";
const std::string listen = "[listen]\ntoken_file = \"/etc/cppc/token\"\n";

Configuration read(const std::string& text) {
  auto configuration = parse_configuration(text, "health.toml");
  EXPECT_TRUE(configuration.has_value()) << configuration.error();
  return configuration.value_or(Configuration{});
}

std::string refusal(const std::string& text) {
  const auto configuration = parse_configuration(text, "health.toml");
  EXPECT_FALSE(configuration.has_value()) << text;
  return configuration ? "" : configuration.error();
}

TEST(Configuration, ReadsWhatThereIs) {
  const Configuration read = health::read(R"(
[site]
scheduler = "slurm"
evacuate_at_once = 2
per_hour = 6
keep_nodes = 3
dry_run = true
retry_s = 2.5
[listen]
address = "[::1]:9500"
token_file = "/etc/cppc/token"
[[source]]
kind = "slurm-drain"
every_s = 5
[[source]]
kind = "command"
name = "ipmi"
run = ["/etc/cppc/check", "-a"]
[[rule]]
match = {source = "alertmanager", label.cppc = "evacuate"}
action = "evacuate"
deadline_s = 600
hold_s = 30
[[rule]]
match = {severity = "warning"}
action = "avoid"
)");
  EXPECT_TRUE(read.site.slurm && read.site.dry_run);
  EXPECT_EQ(read.site.brakes.at_once, 2);
  EXPECT_EQ(read.site.brakes.per_hour, 6);
  EXPECT_EQ(read.site.brakes.keep_nodes, 3);
  EXPECT_EQ(read.site.retries.pause, Time(2500ms));
  EXPECT_EQ(read.listen->address, "::1");
  EXPECT_EQ(read.listen->port, 9500);
  ASSERT_EQ(read.sources.size(), 2u);
  EXPECT_EQ(read.sources[0].every, Time(5s));
  EXPECT_EQ(read.sources[1].name, "ipmi");
  EXPECT_EQ(read.sources[1].command, (std::vector<std::string>{"/etc/cppc/check", "-a"}));
  ASSERT_EQ(read.rules.size(), 2u);
  EXPECT_EQ(read.rules[0].labels.at("cppc"), "evacuate");
  EXPECT_EQ(read.rules[0].hold, Time(30s));
  EXPECT_EQ(read.rules[0].line, 19);
  EXPECT_EQ(read.rules[1].action, Action::avoid);
}

TEST(Configuration, ErrorsNameTheLineAndWhatToDo) {
  EXPECT_EQ(refusal("[site]\nnodes = [\"a\"]\nevacuate_at_onec = 2\n"),
            "health.toml:3: there is no evacuate_at_onec in [site], only scheduler, nodes, dry_run, evacuate_at_once, "
            "per_hour, keep_nodes, attempts, retry_s, state, migrate");
  EXPECT_EQ(refusal("[site]\n\nnodes = [\"a\"]\nkeep_nodes = 0\n"),
            "health.toml:4: keep_nodes in [site] has to be a whole number from 1 to 100000");
  EXPECT_EQ(refusal("[site]\ndry_run = true\n"),
            "health.toml:1: the nodes are not known: write scheduler = \"slurm\", or nodes = [\"node0\", ...]");
  EXPECT_NE(refusal("[site]\nnodes = [\"a\"\n").find("health.toml:"), std::string::npos);
  EXPECT_NE(refusal("[site]\nnodes = [\"a\"\n").find("this is not TOML"), std::string::npos);
  EXPECT_NE(refusal(site + "[[rule]]\naction = \"evacuat\"\n").find("health.toml:4: action has to be \"log\""),
            std::string::npos);
  EXPECT_NE(refusal(site + "[[rule]]\naction = \"evacuate\"\n").find("health.toml:3: deadline_s is missing"),
            std::string::npos);
  EXPECT_NE(refusal(site + "[[rule]]\naction = \"log\"\nhold_s = -1\n").find("health.toml:5: hold_s"),
            std::string::npos);
  EXPECT_NE(refusal(site + "[rule]\naction = \"log\"\n").find("health.toml:3: write [[rule]], with two brackets"),
            std::string::npos);
  EXPECT_NE(refusal(site + "[[source]]\nkind = \"nagios\"\n").find("health.toml:4: kind has to be"), std::string::npos);
  EXPECT_NE(refusal(site + "[[source]]\nkind = \"command\"\n").find("health.toml:3: run is missing"),
            std::string::npos);
  EXPECT_EQ(refusal(site + "[[source]]\nkind = \"slurm-drain\"\n"),
            "health.toml:4: slurm-drain needs scheduler = \"slurm\" in [site]");
  EXPECT_NE(refusal("[site]\nnodes = [\"-rf\"]\n").find("\"-rf\" is no name of a node"), std::string::npos);
}

TEST(Configuration, TheTokenTravelsUnencryptedOnThisMachineOnly) {
  EXPECT_EQ(read(site + listen).listen->port, 9417);
  EXPECT_NE(refusal(site + listen + "address = \"10.0.0.1:9417\"\n").find("health.toml:5: others could read the token"),
            std::string::npos);
  EXPECT_EQ(read(site + listen + "address = \"10.0.0.1:9417\"\ntls_cert = \"/c\"\ntls_key = \"/k\"\n").listen->key,
            "/k");
  EXPECT_NE(refusal(site + listen + "tls_cert = \"/c\"\n").find("belong together"), std::string::npos);
  EXPECT_NE(refusal(site + "[listen]\n").find("token_file is missing"), std::string::npos);
}

}  // namespace
}  // namespace cppc::health
