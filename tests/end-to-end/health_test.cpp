/// cppc-health empties nodes of a real job.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "scene.hpp"

namespace cppc::test {
namespace {

using namespace std::chrono_literals;

/// As Alertmanager has posted it.
const std::string kAlert =
    R"({"receiver":"cppc","status":"firing","alerts":[{"status":"firing","labels":{"alertname":"NodeDiskFailing","cppc":"evacuate","disk":"/dev/sda","instance":"127.0.0.1:19100","job":"node","node":"node1","severity":"warning"},"annotations":{"summary":"/dev/sda of node1 fails its SMART test"},"startsAt":"2026-11-22T19:47:10.893Z","endsAt":"0001-01-01T00:00:00Z","generatorURL":"http://vm:19090/graph?g0.expr=smartmon_device_smart_healthy+%3D%3D+0&g0.tab=1","fingerprint":"a029e93f35d1740b"}],"groupLabels":{"alertname":"NodeDiskFailing","node":"node1"},"commonLabels":{"alertname":"NodeDiskFailing","cppc":"evacuate","disk":"/dev/sda","instance":"127.0.0.1:19100","job":"node","node":"node1","severity":"warning"},"commonAnnotations":{"summary":"/dev/sda of node1 fails its SMART test"},"externalURL":"http://vm:19093","version":"4","groupKey":"{}/{cppc=\"evacuate\"}:{alertname=\"NodeDiskFailing\", node=\"node1\"}","truncatedAlerts":0})";

class HealthScene {
 public:
  explicit HealthScene(const Cluster& cluster) : cluster_(cluster) {
    write("token", token_ + "\n");
    write("health.toml", "[site]\nnodes = [\"node0\", \"node1\", \"node2\"]\nstate = \"" + folder_.file("state") +
                             "\"\n[listen]\ntoken_file = \"" + folder_.file("token") +
                             "\"\n[[rule]]\naction = \"evacuate\"\ndeadline_s = 600\n");
    write("alert", "POST /v1/alertmanager HTTP/1.1\r\nHost: head\r\nAuthorization: Bearer " + token_ +
                       "\r\nContent-Length: " + std::to_string(kAlert.size()) + "\r\n\r\n" + kAlert);
    start();
  }

  /// As Alertmanager does; what it is answered.
  std::string post_alert() const {
    return cluster_
        .run("head",
             {"bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/9417; cat '" + folder_.file("alert") + "' >&3; cat <&3"})
        .output;
  }
  Finished notice(const std::string& node) const {
    return cluster_.run("head", {tool("cppc-health"), "notice", "--config", folder_.file("health.toml"), "--node", node,
                                 "--reason", "fan fails"});
  }
  /// Ends it without a word, and starts it again.
  void kill_and_start() {
    for (const pid_t process : cluster_.processes("head", tool("cppc-health")))
      EXPECT_EQ(cluster_.run("head", {"kill", "-9", std::to_string(process)}).status, 0);
    daemon_->wait();
    start();
  }
  std::string audit() const {
    std::ostringstream text;
    text << std::ifstream(folder_.file("state/audit.log")).rdbuf();
    return text.str();
  }
  void await(const std::string& event, const std::string& node) {
    const std::string wanted = "\"event\":\"" + event + "\",\"node\":\"" + node + "\"";
    const auto limit = std::chrono::steady_clock::now() + 2min;
    while (audit().find(wanted) == std::string::npos) {
      ASSERT_LT(std::chrono::steady_clock::now(), limit) << wanted << "\n" << audit() << daemon_->errors();
      ASSERT_TRUE(daemon_->running()) << daemon_->errors();
      std::this_thread::sleep_for(5ms);
    }
  }

 private:
  void write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_.file(name)) << content;
    std::filesystem::permissions(folder_.file(name), std::filesystem::perms(0600));
  }
  void start() {
    daemon_.emplace(cluster_.start("head", {tool("cppc-health"), "--config", folder_.file("health.toml")}));
    while (daemon_->errors().find("listens at") == std::string::npos) {
      ASSERT_TRUE(daemon_->running()) << daemon_->errors();
      std::this_thread::sleep_for(5ms);
    }
  }

  const std::string token_ = "0123456789abcdef0123456789abcdef";
  const Cluster& cluster_;
  Folder folder_;
  std::optional<Process> daemon_;
};

TEST(HealthTest, AnAlertEmptiesANodeAndKilledInTheMiddleItGoesOn) {
  HeatScene scene(3, {"-H", "node0:2,node1:2,node2:2", "-n", "4"});
  HealthScene health(scene.cluster());
  ASSERT_EQ(scene.job().node_of(3), "node1");
  const std::string answer = health.post_alert();
  EXPECT_EQ(answer.substr(0, 15), "HTTP/1.1 200 OK") << answer;
  health.await("emptied", "node1");
  EXPECT_EQ(scene.job().node_of(3), "node2");
  EXPECT_NE(health.audit().find("cause: alertmanager: /dev/sda of node1 fails its SMART test (a029e93f35d1740b@"),
            std::string::npos)
      << health.audit();

  const Finished sent = health.notice("node2");
  ASSERT_EQ(sent.status, 0) << sent.errors;
  health.await("begun", "node2");
  health.kill_and_start();
  health.await("emptied", "node2");
  for (int rank = 0; rank < 4; ++rank) EXPECT_EQ(scene.job().node_of(rank), "node0");
  const Answer result = scene.finish();
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.checksum, scene.undisturbed(result).checksum);
}

}  // namespace
}  // namespace cppc::test
