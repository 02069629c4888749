/// The daemon as those see it who ask it.
#include "service.hpp"

#include <sys/resource.h>

#include <csignal>

#include "../certificate.hpp"
#include "../socket.hpp"
#include "daemon_fixture.hpp"
#include "process.hpp"

namespace cppc::health {
namespace {

using nlohmann::json;
using test::Socket;

const std::string evacuate = "[[rule]]\naction = \"evacuate\"\ndeadline_s = 600\n";

std::string notice(const std::string& node, const std::string& key = "k", const std::string& more = "") {
  return R"({"key":")" + key + R"(","source":"ipmi","node":")" + node + R"(","reason":"fan fails")" + more + "}";
}

class ServiceTest : public DaemonTest {
 protected:
  Socket watch(const std::string& last = "") {
    Socket socket = Socket::connect_tcp(service_.port);
    socket.send("GET /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token + "\r\n" +
                (last.empty() ? "" : "Last-Event-ID: " + last + "\r\n") + "\r\n");
    for (std::string line = socket.line(); line != "\r"; line = socket.line())
      if (line.empty()) throw std::runtime_error("closed before the end of the head");
    return socket;
  }
  // The next event: its id, kind and data.
  static std::array<std::string, 3> event(Socket& socket) {
    std::array<std::string, 3> parts;
    for (int empty = 0; empty < 10;) {
      const std::string line = socket.line();
      for (const auto& [name, part] : {std::pair{"id: ", 0}, {"event: ", 1}, {"data: ", 2}})
        if (line.starts_with(name)) parts[static_cast<std::size_t>(part)] = line.substr(std::strlen(name));
      if (line.empty() && !parts[2].empty()) return parts;
      empty += line.empty() ? 1 : 0;
    }
    throw std::runtime_error("the stream has ended");
  }
};

TEST_F(ServiceTest, ANoticeEmptiesANodeAndTheAuditLogNamesTheCause) {
  start(evacuate);
  const auto reply = ask("POST", "/v1/notices", notice("node1"));
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "{\"taken\":1}\n");
  const Task task = next_task();
  EXPECT_EQ(task.start.node, "node1");
  EXPECT_EQ(task.start.cause, "ipmi: fan fails (k)");
  EXPECT_EQ(evacuation_of("node1")["stage"], "running");
  EXPECT_EQ(post(notice("node1")), 200);
  finish("node1", {Outcome::emptied, "done", "safe to power off"});
  await_stage("node1", "emptied");
  EXPECT_TRUE(nothing_begun());
  EXPECT_EQ(evacuation_of("node1")["said"], "safe to power off");
  EXPECT_NE(audit().find("safe to power off; cause: ipmi: fan fails (k)"), std::string::npos) << audit();
}

TEST_F(ServiceTest, AlertmanagersMessagesAreNotices) {
  start(evacuate);
  const auto reply = ask("POST", "/v1/alertmanager", R"({"version":"4","status":"firing","alerts":[
    {"status":"firing","labels":{"alertname":"NodeDiskFailing","node":"node2"},"annotations":{},"startsAt":"t","fingerprint":"f"}]})");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(next_task().start.cause, "alertmanager: NodeDiskFailing (f@t)");
}

TEST_F(ServiceTest, BadInputGetsTheRightStatusAndMovesNothing) {
  start(evacuate);
  EXPECT_EQ(ask("POST", "/v1/notices", notice("node1"), "another-token-of-thirty-two-chars").status, 401);
  EXPECT_EQ(ask("GET", "/metrics", "", "").status, 401);
  const auto malformed = ask("POST", "/v1/notices", "{\"key\":");
  EXPECT_EQ(malformed.status, 400);
  EXPECT_EQ(malformed.body, "{\"error\":\"the request is not JSON\"}\n");
  const auto half = ask("POST", "/v1/notices", "[" + notice("node1") + ",{\"key\":\"k\"}]");
  EXPECT_EQ(half.status, 400);
  EXPECT_NE(half.body.find("notice 2: "), std::string::npos) << half.body;
  EXPECT_EQ(ask("POST", "/v1/alertmanager", R"({"version":"3","alerts":[]})").status, 400);
  EXPECT_EQ(ask("DELETE", "/v1/notices").status, 404);
  EXPECT_EQ(post(notice("node17")), 200) << "of a node that is not known";
  const std::string text = metrics();
  EXPECT_NE(text.find("cppc_health_notices_total{action=\"unknown-node\",source=\"ipmi\"} 1"), std::string::npos)
      << text;
  EXPECT_NE(text.find("cppc_health_requests_total{status=\"401\"} 2"), std::string::npos) << text;
  EXPECT_NE(text.find("cppc_health_requests_total{status=\"400\"} 3"), std::string::npos) << text;
  EXPECT_TRUE(nothing_begun());
}

TEST_F(ServiceTest, AStormIsAnsweredAndBraked) {
  start("keep_nodes = 2\nevacuate_at_once = 1\n" + evacuate);
  std::string storm;
  for (int i = 0; i < 500; ++i)
    storm += (i == 0 ? "[" : ",") + notice("node" + std::to_string(i % 4), std::to_string(i));
  EXPECT_EQ(post(storm + "]"), 200);
  for (int i = 0; i < 2; ++i) {
    const std::string node = next_task().start.node;
    finish(node, {Outcome::emptied, "done", ""});
    await_stage(node, "emptied");
  }
  int emptied = 0, held = 0;
  while (held < 2) {
    emptied = held = 0;
    for (const auto now = state(); const auto& one : now["nodes"]) {
      emptied += one["evacuation"]["stage"] == "emptied" ? 1 : 0;
      held += one["evacuation"]["said"] == "keep_nodes = 2" ? 1 : 0;
    }
  }
  EXPECT_EQ(emptied, 2);
  EXPECT_TRUE(nothing_begun());
}

TEST_F(ServiceTest, AnotherProcessGoesOnWhereThisOneEnded) {
  start("evacuate_at_once = 1\n" + evacuate);
  EXPECT_EQ(post("[" + notice("node1.example.org", "1") + "," + notice("node2", "2") + "]"), 200);
  EXPECT_EQ(next_task().start.node, "node1");
  stop();
  start_again();
  const Task again = next_task();
  EXPECT_EQ(again.start.node, "node1");
  EXPECT_EQ(again.start.attempt, 2);
  EXPECT_TRUE(again.avoid.contains("node2")) << "which is condemned, too";
  finish("node1", {Outcome::emptied, "done", ""});
  EXPECT_EQ(next_task().start.node, "node2");
}

TEST_F(ServiceTest, ASecondDaemonIsRefused) {
  start(evacuate);
  const auto second = Daemon::start(
      configuration_, [](const Task&) { return Report{}; }, "1");
  ASSERT_FALSE(second.has_value());
  EXPECT_NE(second.error().find("another cppc-health works with " + directory_.path() + "/state: process "),
            std::string::npos)
      << second.error();
}

TEST_F(ServiceTest, EventsComeAsTheyHappenAndCanBeResumed) {
  start("evacuate_at_once = 1\n" + evacuate);
  Socket first = watch();
  EXPECT_EQ(post(notice("node1")), 200);
  const auto noticed = event(first);
  EXPECT_EQ(noticed[1], "noticed");
  EXPECT_EQ(json::parse(noticed[2])["node"], "node1");
  EXPECT_EQ(event(first)[1], "requested");
  const auto begun = event(first);
  EXPECT_EQ(begun[1], "begun");
  first.close();
  next_task();
  finish("node1", {Outcome::emptied, "done", "safe to power off"});
  Socket second = watch(begun[0]);
  EXPECT_EQ(event(second)[1], "emptied") << "and not what it has seen";
  Socket other = watch("of-another-daemon-7");
  EXPECT_EQ(event(other)[0], noticed[0]) << "all that is kept";
}

TEST_F(ServiceTest, ManyWhoWatchHoldNobodyUp) {
  start(evacuate);
  std::vector<Socket> watchers;
  for (int i = 0; i < 32; ++i) {
    watchers.push_back(watch());
    EXPECT_EQ(watchers.back().line(), "retry: 2000");
  }
  EXPECT_EQ(ask("GET", "/v1/events").status, 503);
  EXPECT_EQ(post(notice("node1")), 200);
  for (Socket& watcher : watchers) EXPECT_EQ(event(watcher)[1], "noticed");
  stop();
  for (Socket& watcher : watchers) {
    while (!watcher.receive(4096).empty()) continue;
  }
}

TEST_F(ServiceTest, PromtoolAcceptsTheMetrics) {
  start(evacuate);
  EXPECT_EQ(post("[" + notice("node1") + "," + notice("node9", "9") + "]"), 200);
  next_task();
  finish("node1", {Outcome::failed, "refused", "job a refuses"});
  while (metrics().find("result=\"refused\"") == std::string::npos) std::this_thread::yield();
  EXPECT_NE(metrics().find("cppc_health_evacuations_total{result=\"refused\",trigger=\"ipmi\"} 1"), std::string::npos);
  if (test::run({"sh", "-c", "command -v promtool"}).status != 0) GTEST_SKIP() << "promtool is not installed";
  const std::string file = directory_.write("metrics", metrics());
  const auto checked = test::run({"sh", "-c", "promtool check metrics <" + file});
  EXPECT_EQ(checked.status, 0) << checked.output << checked.errors;
  EXPECT_EQ(checked.output + checked.errors, "");
}

TEST_F(ServiceTest, SpeaksTlsWhenItHasACertificate) {
  const auto own = test::make_certificate(directory_, "own", "DNS:localhost");
  listen_.certificate = own.certificate;
  listen_.key = own.key;
  start(evacuate);
  EXPECT_EQ(post(notice("node1")), 200);
  EXPECT_EQ(next_task().start.node, "node1");
  EXPECT_EQ(ask("GET", "/v1/state", "", "another-token-of-thirty-two-chars").status, 401);
  const auto plain = migrate::ask_by_tcp("127.0.0.1", service_.port, {"GET", "/v1/state", {}, ""},
                                         {std::chrono::minutes(1), std::chrono::minutes(1)});
  EXPECT_EQ(plain.status, 0);
}

TEST_F(ServiceTest, WhatIsNotOnTheDiskIsNotAcknowledged) {
  start(evacuate);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{10, before.rlim_max};  // a part of a line can be written
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto first = ask("POST", "/v1/notices", notice("node1"));
  const auto again = ask("POST", "/v1/notices", notice("node1"));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(first.status, 503);
  EXPECT_NE(first.body.find("cannot write " + directory_.path() + "/state/journal: File too large"), std::string::npos)
      << first.body;
  EXPECT_EQ(again.status, 503) << "said again, it is not on the disk either";
  EXPECT_EQ(next_task().start.node, "node1") << "but is acted on";
  EXPECT_EQ(post(notice("node1")), 200);
  stop();
  start_again();
  EXPECT_EQ(next_task().start.node, "node1");
}

TEST_F(ServiceTest, ASilentSourceIsSaidOnceAndCounted) {
  start(evacuate);
  for (int i = 0; i < 3; ++i) daemon_->polled("slurm-drain", "slurmctld does not answer");
  daemon_->polled("slurm-drain", "");
  const std::string text = audit();
  EXPECT_EQ(text.find("does not answer"), text.rfind("does not answer"));
  EXPECT_NE(text.find("source slurm-drain answers again"), std::string::npos) << text;
  EXPECT_NE(metrics().find("cppc_health_poll_failures_total{source=\"slurm-drain\"} 3"), std::string::npos);
  EXPECT_EQ(state()["sources"][0]["source"], "slurm-drain");
}

}  // namespace
}  // namespace cppc::health
