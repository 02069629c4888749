/// Where notices come from: Slurm, commands, clouds.
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "../temporary_directory.hpp"
#include "child.hpp"
#include "cloud.hpp"
#include "daemon_fixture.hpp"
#include "node_side.hpp"
#include "pollers.hpp"
#include "process.hpp"
#include "send.hpp"
#include "slurm.hpp"

namespace cppc::health {
namespace {

using namespace std::chrono_literals;
using migrate::HttpReply;
using migrate::HttpRequest;

TEST(Child, PrintsAndEndsWithAStatus) {
  const auto finished = run_command({"sh", "-c", "echo out; echo err >&2; exit 7"}, 1min);
  ASSERT_TRUE(finished.has_value()) << finished.error();
  EXPECT_EQ(finished->output, "out\n");
  EXPECT_EQ(finished->errors, "err\n");
  EXPECT_EQ(finished->status, 7);
  EXPECT_EQ(run_command({"sh", "-c", "kill -9 $$"}, 1min)->status, 137);
  EXPECT_FALSE(run_command({"/nonexistent/program"}, 1min).has_value());
}

TEST(Child, OneThatHangsIsEndedWithAllThatItHasStarted) {
  const test::TemporaryDirectory directory;
  const std::string file = directory.path() + "/pid";
  const auto finished =
      run_command({"sh", "-c", "trap '' TERM; sleep 1000 & echo $! >" + file + "; wait; wait"}, 200ms);
  ASSERT_FALSE(finished.has_value());
  EXPECT_EQ(finished.error(), "sh has not ended in time");
  pid_t child = 0;
  std::ifstream(file) >> child;
  ASSERT_GT(child, 0);
  const auto runs = [&] {
    std::ifstream status("/proc/" + std::to_string(child) + "/stat");
    std::string id, name, state;
    return static_cast<bool>(status >> id >> name >> state) && state != "Z";
  };
  for (int i = 0; i < 6000 && runs(); ++i) std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(runs());
}

TEST(Slurm, NodesThatDrainFireUntilTheyNeitherDrainNorAreDrained) {
  const auto read = [](const std::string& text) { return parse_sinfo(text).value(); };
  auto notices =
      slurm_notices(read("node0|idle|none\nnode1|drng*|NHC: fan | 3\nnode2|drain|old\nnode1|drng*|NHC: fan | 3\n"), {});
  ASSERT_EQ(notices.size(), 1u) << "node2 has no jobs";
  EXPECT_TRUE(slurm_notices(read("node1|drng|cppc: ipmi: fan\n"), {}).empty()) << "which cppc-health has drained";
  EXPECT_EQ(notices[0].node, "node1");
  EXPECT_EQ(notices[0].reason, "NHC: fan | 3");
  EXPECT_TRUE(slurm_notices(read("node1|drng|NHC\nnode0|idle|none\n"), notices).empty()) << "said before";
  EXPECT_TRUE(slurm_notices(read("node1|drain|NHC\nnode0|idle|none\n"), notices).empty());
  const auto resolved = slurm_notices(read("node1|idle|none\n"), notices);
  ASSERT_EQ(resolved.size(), 1u);
  EXPECT_FALSE(resolved[0].firing);
  EXPECT_EQ(resolved[0].key, notices[0].key);
  EXPECT_FALSE(parse_sinfo("").has_value());
  EXPECT_FALSE(parse_sinfo("slurm_load_node: error\n").has_value());
}

class SourcesTest : public DaemonTest {
 protected:
  void await_failure(const std::string& source) {
    while (true) {
      for (const auto now = state(); const auto& one : now["sources"])
        if (one["source"] == source && one["failure"] != "") return;
    }
  }
};

TEST_F(SourcesTest, ADrainInSlurmEmptiesTheNodeAndSlurmctldThatIsAwayDoesNot) {
  directory_.write("nodes", "node0|idle|none\nnode7|idle|none\n");
  directory_.script("sinfo", "test -e " + directory_.path() +
                                 "/away && { echo 'slurm_load_node: Unable to contact' >&2; exit 1; }; cat " +
                                 directory_.path() + "/nodes");
  const std::string path = std::getenv("PATH");
  setenv("PATH", (directory_.path() + ":" + path).c_str(), 1);
  start(
      "scheduler = \"slurm\"\n[[source]]\nkind = \"slurm-drain\"\nevery_s = 0.05\n[[rule]]\naction = "
      "\"evacuate\"\ndeadline_s = 600\n");
  {
    const Pollers pollers(*daemon_, configuration_);
    while (state()["nodes"].size() != 2) std::this_thread::yield();
    directory_.write("away", "");
    await_failure("slurm-drain");
    EXPECT_TRUE(nothing_begun());
    directory_.write("new", "node0|idle|none\nnode7|drng|fan\n");
    std::filesystem::rename(directory_.path() + "/new", directory_.path() + "/nodes");
    std::filesystem::remove(directory_.path() + "/away");
    EXPECT_EQ(next_task().start.cause, "slurm-drain: fan (drain:node7)");
    finish("node7", {Outcome::emptied, "done", ""});
    await_stage("node7", "emptied");
    directory_.write("new", "node0|idle|none\nnode7|idle|none\n");
    std::filesystem::rename(directory_.path() + "/new", directory_.path() + "/nodes");
    while (!evacuation_of("node7").is_null()) std::this_thread::yield();
  }
  setenv("PATH", path.c_str(), 1);
  const std::string text = audit();
  EXPECT_NE(text.find("Unable to contact; nothing is done about that"), std::string::npos) << text;
  EXPECT_EQ(text.find("Unable to contact"), text.rfind("Unable to contact")) << "once";
}

TEST_F(SourcesTest, ACommandPrintsNotices) {
  const std::string check =
      directory_.script("check", R"(echo '{"key":"fan","node":"node1","reason":"fan 3"}'; echo nonsense)");
  start("[[source]]\nkind = \"command\"\nname = \"ipmi\"\nrun = [\"" + check +
        "\"]\nevery_s = 3600\n[[rule]]\nmatch = {source = \"ipmi\"}\naction = \"evacuate\"\ndeadline_s = 600\n");
  const Pollers pollers(*daemon_, configuration_);
  EXPECT_EQ(next_task().start.cause, "ipmi: fan 3 (fan)");
  EXPECT_EQ(state()["sources"][0]["failure"], "line 2 of what it has printed: it is not JSON");
}

AskCloud metadata(const std::map<std::string, HttpReply>& documents) {
  return [documents](const HttpRequest& request) {
    const auto found = documents.find(request.target);
    return found == documents.end() ? HttpReply{404, "", ""} : found->second;
  };
}

TEST(Cloud, TimesOfBothKinds) {
  EXPECT_EQ(time_in("2017-09-18T08:22:00Z").value(), 1505722920);
  EXPECT_EQ(time_in("Mon, 19 Sep 2016 18:29:47 GMT").value(), 1474309787);
  EXPECT_FALSE(time_in("soon").has_value());
}

TEST(Cloud, AwsSaysWhenASpotInstanceGoes) {
  std::map<std::string, HttpReply> documents{{"/latest/api/token", {200, "T", ""}}};
  EXPECT_TRUE(aws_notices(metadata(documents), "node1", 0)->empty());
  documents["/latest/meta-data/spot/instance-action"] = {200, R"({"action":"terminate","time":"2017-09-18T08:22:00Z"})",
                                                         ""};
  documents["/latest/meta-data/events/recommendations/rebalance"] = {200, R"({"noticeTime":"2017-09-18T08:00:00Z"})",
                                                                     ""};
  const auto notices = aws_notices(metadata(documents), "node1", 1505722800);
  ASSERT_EQ(notices->size(), 2u);
  EXPECT_EQ(notices->at(0).source, "aws-spot");
  EXPECT_EQ(notices->at(0).deadline_s, 120);
  EXPECT_EQ(notices->at(1).severity, "warning");
  EXPECT_EQ(aws_notices(metadata(documents), "node1", 0)->at(0).deadline_s, 30 * 24 * 3600) << "longer is never";
  documents["/latest/meta-data/spot/instance-action"] = {200, R"({"action":"stop","time":"never"})", ""};
  EXPECT_FALSE(aws_notices(metadata(documents), "node1", 0).has_value());
  documents["/latest/api/token"] = {0, "", "refused"};
  EXPECT_EQ(aws_notices(metadata(documents), "node1", 0).error(), "/latest/api/token: refused");
}

TEST(Cloud, GcpPreemptsAndMaintains) {
  std::map<std::string, HttpReply> documents{{"/computeMetadata/v1/instance/preempted", {200, "FALSE", ""}},
                                             {"/computeMetadata/v1/instance/maintenance-event", {200, "NONE", ""}}};
  EXPECT_TRUE(gcp_notices(metadata(documents), "node1")->empty());
  documents["/computeMetadata/v1/instance/preempted"].body = "TRUE\n";
  documents["/computeMetadata/v1/instance/maintenance-event"].body = "MIGRATE_ON_HOST_MAINTENANCE";
  const auto notices = gcp_notices(metadata(documents), "node1");
  ASSERT_EQ(notices->size(), 2u);
  EXPECT_EQ(notices->at(0).source, "gcp-preempted");
  EXPECT_EQ(notices->at(0).deadline_s, 30);
  EXPECT_EQ(notices->at(1).severity, "warning") << "the machine goes on elsewhere";
  documents["/computeMetadata/v1/instance/preempted"].status = 503;
  EXPECT_FALSE(gcp_notices(metadata(documents), "node1").has_value());
}

TEST(Cloud, AzureTellsEveryMachineAboutAllOfThem) {
  const std::string target = "/metadata/scheduledevents?api-version=2020-07-01";
  const auto notices = azure_notices(metadata({{target,
                                                {200, R"({"DocumentIncarnation":2,"Events":[
        {"EventId":"A","EventType":"Preempt","Resources":["node2","NODE1"],"NotBefore":"Mon, 19 Sep 2016 18:29:47 GMT"},
        {"EventId":"B","EventType":"Reboot","Resources":["node2"],"NotBefore":""},
        {"EventId":"C","EventType":"Freeze","Resources":["node1"],"NotBefore":""}]})",
                                                 ""}}}),
                                     "node1", 1474309787 - 30);
  ASSERT_EQ(notices->size(), 2u);
  EXPECT_EQ(notices->at(0).key, "A");
  EXPECT_EQ(notices->at(0).deadline_s, 30);
  EXPECT_EQ(notices->at(1).severity, "warning");
  EXPECT_FALSE(azure_notices(metadata({{target, {200, "[]", ""}}}), "node1", 0).has_value());
}

TEST(Send, TheTokenIsNotSentToOtherMachinesUnencrypted) {
  const auto sent = send_notices({"http://10.0.0.1:9417", "", "/nonexistent", ""}, {});
  EXPECT_EQ(sent.error(), "others could read the token on its way to http://10.0.0.1:9417: write https://");
  EXPECT_EQ(parse_server("https://head:9417/")->host, "head");
  EXPECT_EQ(parse_server("http://[fd00::1]:80")->host, "fd00::1");
  EXPECT_EQ(parse_server("http://169.254.169.254")->port, 80);
  for (const char* wrong : {"head:9417", "https://", "https://head:x", "https://head:0", "https://a b"})
    EXPECT_FALSE(parse_server(wrong).has_value()) << wrong;
}

// A metadata server that refuses what real ones refuse.
constexpr const char* metadata_server = R"(import http.server, os, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, status, text):
        self.send_response(status)
        self.send_header('Content-Length', str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())
    def do_PUT(self):
        wanted = self.path == '/latest/api/token' and 'X-aws-ec2-metadata-token-ttl-seconds' in self.headers
        self.answer(200 if wanted else 400, 'SECRET')
    def do_GET(self):
        if self.headers.get('X-aws-ec2-metadata-token') != 'SECRET':
            return self.answer(401, '')
        path = os.path.join(sys.argv[1], os.path.basename(self.path))
        self.answer(200, open(path).read()) if os.path.exists(path) else self.answer(404, '')
    def log_message(self, *arguments):
        pass
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
)";

TEST_F(SourcesTest, ANodeInACloudPassesItsNoticesOn) {
  start(
      "[[rule]]\nmatch = {source = \"aws-spot\"}\naction = \"evacuate\"\ndeadline_from = \"notice\"\ndeadline_s = "
      "100\n");
  const std::string script = directory_.write("metadata.py", metadata_server);
  const test::Process cloud({"python3", script, directory_.path()});
  while (cloud.output().find('\n') == std::string::npos) std::this_thread::yield();
  const std::string port = cloud.output().substr(0, cloud.output().find('\n'));
  auto configuration = parse_configuration(
      "[send]\nserver = \"http://127.0.0.1:" + std::to_string(service_.port) + "\"\ntoken_file = \"" + token_file_ +
          "\"\nnode = \"node3\"\n[[source]]\nkind = \"aws\"\nevery_s = 0.05\nbase = \"http://127.0.0.1:" + port +
          "\"\n",
      "test");
  ASSERT_TRUE(configuration.has_value()) << configuration.error();
  const auto node = NodeSide::start(*configuration);
  ASSERT_TRUE(node.has_value()) << node.error();
  const std::time_t soon = std::time(nullptr) + 90;
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&soon));
  directory_.write("new", R"({"action":"terminate","time":")" + std::string(text.data()) + "\"}");
  std::filesystem::rename(directory_.path() + "/new", directory_.path() + "/instance-action");
  const Task task = next_task();
  EXPECT_EQ(task.start.node, "node3");
  EXPECT_EQ(task.start.trigger, "aws-spot");
  EXPECT_LE(task.start.left, Time(91s));
  finish("node3", {Outcome::emptied, "done", ""});
  await_stage("node3", "emptied");
  std::filesystem::remove(directory_.path() + "/instance-action");
  while (!evacuation_of("node3").is_null()) std::this_thread::yield();
}

}  // namespace
}  // namespace cppc::health
