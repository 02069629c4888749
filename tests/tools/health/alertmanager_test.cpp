/// The daemon behind a real Alertmanager, with the route that is shipped.
#include "../socket.hpp"
#include "daemon_fixture.hpp"
#include "process.hpp"

namespace cppc::health {
namespace {

using test::Process;
using namespace std::chrono_literals;

std::uint16_t free_port() { return test::TcpListener().port(); }

class AlertmanagerTest : public DaemonTest {
 protected:
  void replace(std::string& text, const std::string& what, const std::string& by) {
    const auto place = text.find(what);
    ASSERT_NE(place, std::string::npos) << what;
    text.replace(place, what.size(), by);
  }
  std::string route() {
    std::ostringstream file;
    file << std::ifstream(CPPC_HEALTH_FILES "/alertmanager.yml").rdbuf();
    std::string text = file.str();
    replace(text, "http://127.0.0.1:9417/", "http://127.0.0.1:" + std::to_string(service_.port) + "/");
    replace(text, "/etc/cppc/health-token-of-alertmanager", token_file_);
    replace(text, "group_interval: 10s", "group_interval: 1s");
    return directory_.write("alertmanager.yml", text);
  }
  // Until Alertmanager, which has just been started, takes it.
  void add_alert(const std::string& url, const std::vector<std::string>& more) {
    std::vector<std::string> command{
        "amtool",          "alert",      "add",           "--alertmanager.url=" + url,
        "NodeDiskFailing", "node=node2", "cppc=evacuate", "--annotation=summary=sda fails"};
    command.insert(command.end(), more.begin(), more.end());
    const auto limit = std::chrono::steady_clock::now() + 1min;
    while (test::run(command).status != 0) {
      ASSERT_LT(std::chrono::steady_clock::now(), limit) << "Alertmanager does not answer";
      std::this_thread::sleep_for(50ms);
    }
  }
};

TEST_F(AlertmanagerTest, ItsAlertEmptiesANodeAndItsEndGivesTheNodeBack) {
  if (test::run({"sh", "-c", "command -v prometheus-alertmanager && command -v amtool"}).status != 0)
    GTEST_SKIP() << "prometheus-alertmanager is not installed";
  start(
      "[[rule]]\nmatch = {source = \"alertmanager\", label = {cppc = \"evacuate\"}}\naction = \"evacuate\"\ndeadline_s "
      "= 600\n");
  const std::string at = "127.0.0.1:" + std::to_string(free_port());
  const Process alertmanager({"prometheus-alertmanager", "--config.file=" + route(),
                              "--storage.path=" + directory_.path() + "/data", "--web.listen-address=" + at,
                              "--cluster.listen-address="});
  add_alert("http://" + at, {"--start=2000-01-01T00:00:00Z"});
  const Task task = next_task();
  EXPECT_EQ(task.start.node, "node2");
  EXPECT_EQ(task.start.cause.substr(0, 25), "alertmanager: sda fails (") << task.start.cause;
  finish("node2", {Outcome::emptied, "done", "safe to power off"});
  await_stage("node2", "emptied");
  add_alert("http://" + at, {"--end=2001-01-01T00:00:00Z", "--start=2000-01-01T00:00:00Z"});
  while (!evacuation_of("node2").is_null()) std::this_thread::sleep_for(20ms);
}

}  // namespace
}  // namespace cppc::health
