/// What `migrate --timeout` promises: an answer within a second after the time is up, whoever is silent.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "controller.hpp"
#include "fake_agents.hpp"
#include "process.hpp"
#include "socket.hpp"
#include "sockets.hpp"
#include "temporary_directory.hpp"

namespace cppc::migrate {
namespace {

using test::Finished;
using test::Process;
using test::Socket;
using Words = std::vector<std::string>;
using namespace std::chrono_literals;

/// A busy machine may be slow, but the next longer wait of migrate's is 10 s.
constexpr auto kTimeout = 2s;
constexpr auto kBusy = 6s;

class MigrateTimeoutTest : public testing::Test {
 protected:
  MigrateTimeoutTest() {
    std::filesystem::create_directory(jobs_);
    std::filesystem::permissions(jobs_, std::filesystem::perms::owner_all);
    std::filesystem::permissions(token_, std::filesystem::perms(0600));
  }

  [[nodiscard]] Process start_migrate(const Words& arguments) const {
    Words command{MIGRATE_PROGRAM, "--timeout", std::to_string(kTimeout.count())};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return Process(command, {"CPPC_JOB_DIRECTORIES=" + jobs_, "PATH=" + directory_.path() + ":/usr/bin:/bin"});
  }
  /// `meanwhile` is what the other side does.
  [[nodiscard]] Finished migrate(
      const Words& arguments, const std::function<void()>& meanwhile = [] {}) const {
    const auto begin = std::chrono::steady_clock::now();
    Process command = start_migrate(arguments);
    meanwhile();
    Finished finished = command.wait(60s);
    const auto took = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(took, kTimeout + kBusy) << finished.errors;
    return finished;
  }
  [[nodiscard]] Words at(std::uint16_t port) const {
    return {"--server", "https://127.0.0.1:" + std::to_string(port), "--token-file", token_, "--rank", "3", "--to",
            "node2"};
  }

  const Words move_{"--rank", "3", "--to", "node2"};
  test::TemporaryDirectory directory_;
  const std::string token_ = directory_.write("token", "0123456789abcdef0123456789abcdef\n");
  const std::string jobs_ = directory_.path() + "/cppc";
};

/// cppc-run as the socket of its job shows it.
class ScriptedController {
 public:
  explicit ScriptedController(const std::string& jobs)
      : listener_(tools::listen_on_unix(context_, jobs + "/busy-1.sock").value()) {}

  void answer(const std::string& status, const std::string& body) {
    Socket asked = next();
    std::string line;
    do line = asked.line();
    while (line != "\r" && !line.empty());
    asked.send("HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  }

 private:
  Socket next() {
    pollfd one{listener_.native_handle(), POLLIN, 0};
    EXPECT_EQ(poll(&one, 1, 60'000), 1);
    return Socket(::accept(listener_.native_handle(), nullptr, nullptr));
  }
  boost::asio::io_context context_;
  tools::ListeningSocket listener_;
};

TEST_F(MigrateTimeoutTest, ACppcRunThatNeverAnswersIsNamed) {
  const ScriptedController silent(jobs_);
  for (const Words& request : {move_, Words{"--evacuate", "node1"}, Words{"checkpoint"}}) {
    const Finished finished = migrate(request);
    EXPECT_EQ(finished.status, 124);
    EXPECT_TRUE(finished.errors.starts_with("migrate: no answer from job busy-1 of ")) << finished.errors;
    EXPECT_EQ(std::ranges::count(finished.errors, '\n'), 1) << finished.errors;
  }
}

TEST_F(MigrateTimeoutTest, AJobThatNeverFinishesIsToldToCancel) {
  const auto controller =
      run::Controller::start({"app-1", "./app", {{"node0", 2}, {"node1", 2}, {"node2", 2}}, "head"}, "key", jobs_)
          .value();
  const test::FakeAgents agents(controller->addresses(), "key", std::vector<std::vector<int>>{{0, 1}, {2, 3}, {}});
  const Finished finished = migrate(move_);
  EXPECT_EQ(finished.status, 124);
  EXPECT_EQ(finished.errors, "migrate: cancelled, but the job has not confirmed it: prepare\n");
}

TEST_F(MigrateTimeoutTest, AControllerThatFallsSilentOnceItHasAcceptedIsNotWaitedFor) {
  ScriptedController controller(jobs_);
  const Finished finished = migrate(move_, [&] {
    controller.answer("200 OK", R"({"job":"busy-1"})");
    controller.answer("202 Accepted", R"({"id":1,"state":"running"})");
  });
  EXPECT_EQ(finished.status, 124);
  EXPECT_EQ(finished.errors, "migrate: cancelled, but the job has not confirmed it: running\n");
}

TEST_F(MigrateTimeoutTest, AControllerThatDoesNotAnswerTheRequestIsNotWaitedFor) {
  ScriptedController controller(jobs_);
  const Finished finished = migrate(move_, [&] { controller.answer("200 OK", R"({"job":"busy-1"})"); });
  EXPECT_EQ(finished.status, 124);
  EXPECT_EQ(finished.errors, "migrate: cppc-run of job busy-1 does not answer; see migrate status\n");
}

TEST_F(MigrateTimeoutTest, AServerThatDoesNotSpeakIsNamed) {
  const test::TcpListener listener;
  const Finished finished = migrate(at(listener.port()));
  EXPECT_EQ(finished.status, 124);
  EXPECT_TRUE(finished.errors.starts_with("migrate: no answer from https://127.0.0.1:")) << finished.errors;
}

/// As one behind a firewall, or whose machine has gone: nothing comes back at all.
TEST_F(MigrateTimeoutTest, AServerThatCannotBeReachedIsNamed) {
  const UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener.get(), 0), 0);
  ASSERT_EQ(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  std::vector<UniqueFd> waiting;  // more than the system queues
  for (int i = 0; i < 4; ++i) {
    waiting.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    (void)::connect(waiting.back().get(), reinterpret_cast<const sockaddr*>(&address), size);
  }
  const Finished finished = migrate(at(ntohs(address.sin_port)));
  EXPECT_EQ(finished.status, 124);
  EXPECT_TRUE(finished.errors.starts_with("migrate: no answer from https://127.0.0.1:")) << finished.errors;
}

TEST_F(MigrateTimeoutTest, SlurmIsNotWaitedFor) {
  directory_.script("squeue", "exec sleep 50");
  const Finished by_job = migrate({"--server", "slurm:17", "--token-file", token_, "--rank", "3", "--to", "node2"});
  EXPECT_NE(by_job.errors.find("squeue"), std::string::npos) << by_job.errors;
  EXPECT_EQ(by_job.status, 124);
  const Finished of_everybody = migrate({"--evacuate", "node1", "--all-jobs", "--token-file", token_});
  EXPECT_NE(of_everybody.status, 0) << of_everybody.errors;
}

}  // namespace
}  // namespace cppc::migrate
