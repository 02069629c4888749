/// The job's interface over its socket, with a controller and agents that are not real.
#include "api.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "../../tools/common/user_name.hpp"
#include "controller.hpp"
#include "fake_agents.hpp"
#include "job_client.hpp"
#include "temporary_directory.hpp"

namespace cppc::run {
namespace {

using migrate::Answer;
using migrate::JobClient;
using nlohmann::json;
using test::Socket;

class ApiTest : public testing::Test {
 protected:
  void start_agents() {
    agents_.emplace(controller_->addresses(), "key", std::vector<std::vector<int>>{{0, 1}, {2, 3}, {}});
    while (client_.job().body["state"] != "running") std::this_thread::yield();
  }
  json migration(std::uint64_t id) { return client_.migration(id).body; }
  json ended(std::uint64_t id) {
    while (true) {
      json now = migration(id);
      if (now["state"] == "done" || now["state"] == "failed" || now["state"] == "refused") return now;
      std::this_thread::yield();
    }
  }
  // What is sent as it is, and the status line that comes back.
  std::string raw(const std::string& request) {
    Socket socket = Socket::connect_unix(socket_);
    socket.send(request);
    return socket.line();
  }
  std::string post_raw(const std::string& body) {
    return raw("POST /v1/migrations HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) +
               "\r\n\r\n" + body)
        .substr(9, 3);
  }

  test::TemporaryDirectory directory_;
  const std::string socket_ = directory_.path() + "/app-1.sock";
  std::unique_ptr<Controller> controller_ =
      Controller::start({"app-1", "./app", {{"node0", 2}, {"node1", 2}, {"node2", 2}}, "head"}, "key",
                        directory_.path())
          .value();
  JobClient client_{socket_};
  std::optional<test::FakeAgents> agents_;
};

TEST_F(ApiTest, DescribesTheJob) {
  json job = client_.job().body;
  EXPECT_EQ(job["job"], "app-1");
  EXPECT_EQ(job["program"], "./app");
  EXPECT_EQ(job["pid"], getpid());
  EXPECT_EQ(job["state"], "starting");
  EXPECT_EQ(job["ranks"], json::array());
  start_agents();
  job = client_.job().body;
  EXPECT_EQ(job["ranks"][3],
            json({{"rank", 3}, {"node", "node1"}, {"pid", 2003}, {"state", "running"}, {"bytes", 64'000'000}}));
  EXPECT_EQ(job["controller"], "head");
  EXPECT_EQ(job["nodes"][1], json({{"node", "node1"},
                                   {"host", "node1"},
                                   {"state", "up"},
                                   {"ranks", {2, 3}},
                                   {"cores", 2},
                                   {"slots", 2},
                                   {"memory_free", 8'000'000'000}}));
  EXPECT_EQ(job["migrations"], json::array());
}

TEST_F(ApiTest, OnlyThisUserCanOpenTheSocket) {
  struct stat status {};
  ASSERT_EQ(stat(socket_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(ApiTest, AgentsOfAJobOnThisMachineAloneConnectByLoopback) {
  const auto alone = Controller::start({"app-2", "./app", {{"head", 2}}, "head"}, "key", directory_.path()).value();
  EXPECT_TRUE(alone->addresses().starts_with("127.0.0.1:")) << alone->addresses();
  EXPECT_EQ(alone->addresses().find(','), std::string::npos) << alone->addresses();
}

TEST_F(ApiTest, CarriesOutAMigration) {
  start_agents();
  const Answer posted = client_.post_migration({{"ranks", {3}}, {"to", {"node2"}}, {"timeout_s", 7.5}});
  EXPECT_EQ(posted.status, 202);
  const std::uint64_t id = posted.body["id"];
  EXPECT_EQ(posted.body["moves"], json::parse(R"([{"rank":3,"from":"node1","to":"node2"}])"));
  const wire::Order order = agents_->order();
  EXPECT_EQ(order.timeout_s, 7.5);
  EXPECT_EQ(client_.job().body["ranks"][3]["state"], "moving");
  agents_->obey(order);
  const json done = ended(id);
  EXPECT_EQ(done["state"], "done");
  EXPECT_EQ(done["bytes_done"], 32'000'000);
  EXPECT_EQ(done["bytes_total"], 64'000'000);
  EXPECT_EQ(done["frozen_ms"], 12);
  EXPECT_EQ(done["response_ms"], 34);
  EXPECT_EQ(done["evacuation_ms"], 56);
  EXPECT_EQ(done["rebuild_ms"], 7);
  EXPECT_EQ(done["downtime_ms"], json::parse("[8, 9]"));
  EXPECT_EQ(done["image_bytes"], 64'000'000);
  EXPECT_EQ(done["status"], 0);
  EXPECT_EQ(done["reason"], "");
  EXPECT_EQ(client_.job().body["ranks"][3]["node"], "node2");
  EXPECT_EQ(client_.job().body["migrations"], json::array({id}));
}

TEST_F(ApiTest, NodesThatComeNeedADirectoryForImages) {
  start_agents();
  const Answer refused = client_.post_migration({{"add", {"node3"}}});
  EXPECT_EQ(refused.status, 409);
  EXPECT_NE(refused.error().find("--images"), std::string::npos) << refused.error();
  const Answer planned =
      client_.post_migration({{"add", {"node3"}}, {"ranks", {0}}, {"to", {"node3"}}, {"dry_run", true}});
  EXPECT_EQ(planned.status, 200) << planned.error();
  EXPECT_EQ(planned.body["moves"], json::parse(R"([{"rank":0,"from":"node0","to":"node3"}])"));
  EXPECT_EQ(client_.post_migration({{"restore", "node1"}}).status, 409) << "nobody has left it";
}

TEST_F(ApiTest, NodesThatComeGetImagesOfAllRanks) {
  start_agents();
  const Answer posted = client_.post_migration({{"add", {"node3"}}, {"images", directory_.path() + "/images"}});
  EXPECT_EQ(posted.status, 202) << posted.error();
  EXPECT_EQ(posted.body["kind"], "relocation");
  EXPECT_EQ(posted.body["add"], json::array({"node3"}));
  EXPECT_TRUE(agents_->order().stands);
}

TEST_F(ApiTest, TellsWhoHasAskedForAMigrationAndWhy) {
  start_agents();
  const Answer posted = client_.post_migration({{"evacuate", "node1"}, {"why", "fan 3 fails"}});
  EXPECT_EQ(posted.status, 202);
  EXPECT_EQ(posted.body["why"], "fan 3 fails");
  EXPECT_EQ(posted.body["by"], tools::user_name(geteuid()));
  EXPECT_FALSE(client_.job().body.contains("by_others")) << "it was the owner";
}

TEST_F(ApiTest, EvacuatesANode) {
  start_agents();
  const std::uint64_t id = client_.post_migration({{"evacuate", "node1"}}).body["id"];
  const wire::Order order = agents_->order();
  EXPECT_EQ(order.retire, std::vector<int>{1});
  agents_->obey(order);
  EXPECT_EQ(ended(id)["messages"], json::array({"node1: nothing of this job is left"}));
  EXPECT_EQ(client_.job().body["nodes"][1]["state"], "evacuated");
}

TEST_F(ApiTest, ADryRunMovesNothing) {
  EXPECT_EQ(client_.post_migration({{"evacuate", "node1"}, {"dry_run", true}}).status, 503);
  start_agents();
  const Answer answer = client_.post_migration({{"evacuate", "node1"}, {"dry_run", true}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(
      answer.body,
      json::parse(R"({"moves":[{"rank":2,"from":"node1","to":"node2"},{"rank":3,"from":"node1","to":"node2"}]})"));
  EXPECT_EQ(client_.job().body["migrations"], json::array());
}

TEST_F(ApiTest, CancelsAMigration) {
  start_agents();
  const std::uint64_t id = client_.post_migration({{"ranks", {3}}, {"to", {"node2"}}}).body["id"];
  agents_->order();
  const Answer answer = client_.cancel(id);
  EXPECT_EQ(answer.status, 202);
  EXPECT_EQ(answer.body["id"], id);
  EXPECT_EQ((*agents_)[0].expect<wire::Cancel>().id, id);
  (*agents_)[0].send(wire::Outcome{id, CPPC_ERR_CANCELLED, "as asked"});
  EXPECT_EQ(ended(id)["reason"], "as asked");
  EXPECT_EQ(ended(id)["status"], CPPC_ERR_CANCELLED);
  EXPECT_EQ(client_.cancel(99).status, 404);
}

TEST_F(ApiTest, RefusesWithAReason) {
  start_agents();
  const Answer refused = client_.post_migration({{"ranks", {9}}, {"to", {"node2"}}});
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.error(), "there is no rank 9: the job has ranks 0 to 3");
  EXPECT_EQ(client_.post_migration({{"ranks", {-1}}, {"to", {"node2"}}}).status, 409);
  EXPECT_EQ(client_.post_migration({{"evacuate", "nowhere"}, {"dry_run", true}}).status, 409);
  EXPECT_EQ(client_.migration(1).status, 404);
}

TEST_F(ApiTest, MalformedRequestsAreRefusedAndTheJobGoesOn) {
  start_agents();
  for (const char* body : {"",
                           "{",
                           "[]",
                           "7",
                           "null",
                           "\xff",
                           "{}",
                           R"({"ranks":[]})",
                           R"({"ranks":5,"to":["node2"]})",
                           R"({"ranks":["5"],"to":["node2"]})",
                           R"({"ranks":[1.5],"to":["node2"]})",
                           R"({"ranks":[1],"to":"node2"})",
                           R"({"ranks":[1],"to":[2]})",
                           R"({"ranks":[1]})",
                           R"({"ranks":[1],"to":[]})",
                           R"({"evacuate":7})",
                           R"({"evacuate":""})",
                           R"({"ranks":[1],"evacuate":"node1","to":["node2"]})",
                           R"({"ranks":[99999999999999999999],"to":["node2"]})",
                           R"({"evacuate":"node1","dry_run":1})",
                           R"({"evacuate":"node1","timeout_s":0})",
                           R"({"evacuate":"node1","timeout_s":-1})",
                           R"({"evacuate":"node1","timeout_s":"1"})",
                           R"({"evacuate":"node1","timeout_s":1e9})",
                           R"({"evacuate":"node1","avoid":"node2"})",
                           R"({"evacuate":"node1","avoid":["node2"],"to":["node0"]})",
                           R"({"ranks":[1],"avoid":["node2"],"to":["node0"]})",
                           R"({"evacuate":"node1","why":7})",
                           R"({"evacuate":"node1","why":"two\nlines"})",
                           R"({"add":[]})",
                           R"({"add":["node3"],"restore":"node1"})",
                           R"({"add":["node3"],"ranks":[1]})",
                           R"({"add":["node3"],"evacuate":"node1"})",
                           R"({"restore":"node1","ranks":[1],"to":["node1"]})",
                           R"({"images":"/images"})",
                           R"({"evacuate":"node1","force":true})"}) {
    EXPECT_EQ(post_raw(body), "400") << body;
  }
  EXPECT_EQ(client_.job().body["state"], "running");
}

TEST_F(ApiTest, AnswersWhenAllLowDescriptorsAreTaken) {
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  if (limit.rlim_max < 2000) GTEST_SKIP() << "needs 2000 descriptors";
  limit.rlim_cur = limit.rlim_max;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  std::vector<UniqueFd> taken;
  while (taken.empty() || taken.back().get() < 1500) taken.emplace_back(dup(STDERR_FILENO));
  EXPECT_EQ(client_.job().status, 200);
  EXPECT_EQ(raw("GET /v1/job HTTP/1.1\r\nHost: x\r\n\r\n"), "HTTP/1.1 200 OK\r");
}

TEST_F(ApiTest, OtherRequestsAreNotServed) {
  EXPECT_EQ(raw("GET / HTTP/1.1\r\nHost: x\r\n\r\n").substr(9, 3), "404");
  EXPECT_EQ(raw("DELETE /v1/job HTTP/1.1\r\nHost: x\r\n\r\n").substr(9, 3), "404");
  EXPECT_EQ(raw("GET /v1/migrations/x HTTP/1.1\r\nHost: x\r\n\r\n").substr(9, 3), "404");
  EXPECT_EQ(raw("GET /v1/migrations/99999999999999999999 HTTP/1.1\r\nHost: x\r\n\r\n").substr(9, 3), "404");
  EXPECT_EQ(raw("nonsense\r\n\r\n").substr(0, 12), "HTTP/1.1 400");
}

TEST_F(ApiTest, TellsOfAllMigrationsSoFar) {
  start_agents();
  EXPECT_EQ(client_.migrations().body, json({{"migrations", json::array()}}));
  const std::uint64_t id = client_.post_migration({{"evacuate", "node1"}}).body["id"];
  agents_->obey(agents_->order());
  ended(id);
  const json list = client_.migrations().body["migrations"];
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0]["state"], "done");
  EXPECT_EQ(list[0]["kind"], "evacuate");
  EXPECT_EQ(list[0]["evacuate"], "node1");
  EXPECT_EQ(list[0]["requested_at"].get<std::string>().size(), 24u);
  EXPECT_FALSE(list[0].contains("downtime_ms"));
  const json trace = client_.trace(id).body;
  EXPECT_EQ(trace["otherData"]["migration"], "1");
  EXPECT_GE(trace["traceEvents"].size(), 8u);
  EXPECT_EQ(client_.trace(2).status, 404);
  EXPECT_EQ(client_.trace(0).status, 404);
}

// The kinds of events as they come, and the last data of each.
class Watcher {
 public:
  explicit Watcher(const std::string& path) : socket_(Socket::connect_unix(path)) {
    socket_.send("GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n");
    while (socket_.line() != "retry: 2000") continue;
  }
  bool closed() { return socket_.closed(); }
  /// Reads on until an event of this kind says so.
  json await(const std::string& kind, const std::function<bool(const json&)>& is_it) {
    std::string now;
    for (int empty = 0; empty < 1000;) {  // as many as when it has been closed
      const std::string line = socket_.line();
      empty += line.empty() ? 1 : 0;
      if (line.starts_with("event: ")) now = line.substr(7);
      if (!line.starts_with("data: ") || now != kind) continue;
      json data = json::parse(line.substr(6));
      EXPECT_EQ(socket_.line(), "") << "which ends an event";
      if (is_it(data)) return data;
    }
    throw std::runtime_error("the events have ended");
  }

 private:
  Socket socket_;
};

TEST_F(ApiTest, WhoWatchesIsToldOfNodesAndMigrations) {
  Watcher watcher(socket_);
  start_agents();
  watcher.await("job", [](const json& job) { return job["state"] == "running"; });
  const std::uint64_t id = client_.post_migration({{"ranks", {3}}, {"to", {"node2"}}}).body["id"];
  const wire::Order order = agents_->order();
  wire::Progress progress{id, "ship", 16'000'000, 64'000'000, 1, {{3, 16'000'000, 64'000'000}}};
  (*agents_)[1].send(progress);
  watcher.await("migration", [](const json& one) { return one["state"] == "ship" && one["bytes_done"] == 16'000'000; });
  progress.bytes_done = progress.ranks[0].bytes_done = 32'000'000;
  (*agents_)[1].send(progress);
  const json half = watcher.await("migration", [](const json& one) { return one["bytes_done"] == 32'000'000; });
  EXPECT_EQ(half["id"], id);
  EXPECT_GT(half["bytes_per_second"], 0);
  EXPECT_GT(half["seconds_left"], 0);
  agents_->obey(order);
  const json node = watcher.await("node", [](const json& one) { return one["node"] == "node2"; });
  EXPECT_EQ(node["ranks"], json::array({3}));
  EXPECT_FALSE(
      watcher.await("migration", [](const json& one) { return one["state"] == "done"; }).contains("seconds_left"));
}

TEST_F(ApiTest, TheEndOfTheJobIsTheLastEvent) {
  Watcher watcher(socket_);
  start_agents();
  watcher.await("job", [](const json& job) { return job["state"] == "running"; });
  controller_->ended(0);
  agents_.reset();
  controller_.reset();
  watcher.await("job", [](const json& job) { return job["state"] == "ended"; });
  EXPECT_TRUE(watcher.closed());
}

TEST_F(ApiTest, RequestsHaveASize) {
  EXPECT_EQ(post_raw(std::string(1'000'000, ' ')), "400") << "which has been read to its end";
  EXPECT_EQ(raw("POST /v1/migrations HTTP/1.1\r\nContent-Length: 17000000\r\n\r\n").substr(9, 3), "413");
  EXPECT_EQ(raw("GET /v1/" + std::string(9000, 'x') + " HTTP/1.1\r\n\r\n").substr(9, 3), "414");
  EXPECT_EQ(raw("GET /v1/job HTTP/1.1\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n").substr(9, 3), "400");
}

TEST_F(ApiTest, ABodyMayComeInPieces) {
  const std::string request = "POST /v1/migrations HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(raw(request + "1\r\n{\r\n1\r\n}\r\n0\r\n\r\n").substr(9, 3), "400");
  start_agents();
  EXPECT_EQ(raw(request + "19\r\n{\"ranks\":[9],\"to\":[\"node2\r\n3\r\n\"]}\r\n0\r\n\r\n").substr(9, 3), "409");
}

TEST_F(ApiTest, AHeadIsAnsweredWithoutABody) {
  Socket socket = Socket::connect_unix(socket_);
  socket.send("HEAD /v1/job HTTP/1.1\r\n\r\n");
  EXPECT_EQ(socket.line(), "HTTP/1.1 200 OK\r");
  EXPECT_EQ(socket.receive(4096).find('{'), std::string::npos);
}

TEST_F(ApiTest, WhoSaysNothingHoldsNobodyUp) {
  std::vector<Socket> silent;
  for (int i = 0; i < 100; ++i) silent.push_back(Socket::connect_unix(socket_));
  EXPECT_EQ(client_.job().status, 200);
}

TEST_F(ApiTest, WhoHasBegunToAskIsAnsweredBeforeTheEnd) {
  Socket socket = Socket::connect_unix(socket_);
  socket.send("POST /v1/migrations HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(socket.line(), "HTTP/1.1 100 Continue\r");
  EXPECT_EQ(socket.line(), "\r");
  std::thread end([this] { controller_.reset(); });
  while (!client_.gone()) std::this_thread::yield();
  socket.send("{}");
  EXPECT_EQ(socket.line().substr(0, 12), "HTTP/1.1 400");
  end.join();
}

TEST_F(ApiTest, WhenTheJobHasEndedNothingMovesAnyMore) {
  start_agents();
  const std::uint64_t id = client_.post_migration({{"ranks", {3}}, {"to", {"node2"}}}).body["id"];
  std::thread end([this] { controller_->ended(0); });
  EXPECT_EQ(ended(id)["state"], "failed");
  EXPECT_EQ(client_.post_migration({{"ranks", {3}}, {"to", {"node2"}}}).status, 410);
  EXPECT_EQ(client_.post_migration({{"ranks", {3}}, {"to", {"node2"}}, {"dry_run", true}}).status, 410);
  EXPECT_EQ(client_.job().body["state"], "ended");
  end.join();
  agents_.reset();
  controller_.reset();
  EXPECT_EQ(client_.job().status, 0);
  EXPECT_TRUE(std::filesystem::is_empty(directory_.path())) << "sockets have been left";
}

}  // namespace
}  // namespace cppc::run
