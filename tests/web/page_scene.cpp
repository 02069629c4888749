/// A controller and a cppc-health for browsers, with agents that are not real. Says where they are as a line of JSON,
/// and does as each line of standard input says; "ok" when it has been done:
///
///   take           waits for the next order
///   ship RANK MB   so much of 64 MB of this rank has been sent
///   obey           the order is carried out
///   cancelled      it has been given up, as the controller wants
///   emptied NODE   what cppc-health has begun has been done
#include <spdlog/spdlog.h>

#include <boost/asio/ssl/context.hpp>
#include <condition_variable>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "../tools/certificate.hpp"
#include "../tools/fake_agents.hpp"
#include "../tools/running_loop.hpp"
#include "controller.hpp"
#include "daemon.hpp"
#include "service.hpp"

namespace {

using namespace cppc;

constexpr std::uint64_t megabyte = 1'000'000;
const std::string token = "0123456789abcdef0123456789abcdef";

/// Nodes that cppc-health has emptied.
class Emptied {
 public:
  void add(const std::string& node) {
    const std::scoped_lock lock(mutex_);
    nodes_.insert(node);
    changed_.notify_all();
  }
  health::Report await(const health::Task& task) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, task.stop, [&] { return nodes_.contains(task.start.node); });
    return {health::Outcome::emptied, "done", "safe to power off"};
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::set<std::string> nodes_;
};

class Scene {
 public:
  Scene() {
    for (const std::string& secret : {token_file_, certificate_.key})
      std::filesystem::permissions(secret, std::filesystem::perms(0600));
    std::filesystem::create_directory(jobs_);
    std::filesystem::permissions(jobs_, std::filesystem::perms::owner_all);
    setenv("CPPC_JOB_DIRECTORIES", jobs_.c_str(), 1);
    start_job();
    start_health();
    std::cout << nlohmann::json{{"job", "https://localhost:" + std::to_string(controller_->network_port()) + "/"},
                                {"health", "http://127.0.0.1:" + std::to_string(service_.port) + "/"},
                                {"token", token}}
              << std::endl;
  }
  ~Scene() {
    daemon_->events().close();
    service_.server.reset();
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  void obey(const std::string& line) {
    std::istringstream words(line);
    std::string command, node;
    words >> command;
    if (command == "take") {
      order_ = agents_->order();
    } else if (command == "ship") {
      int rank = 0;
      std::uint64_t done = 0;
      words >> rank >> done;
      const wire::Shipment one{rank, done * megabyte, 64 * megabyte};
      (*agents_)[0].send(wire::Progress{order_.id, "ship", one.bytes_done, one.bytes_total, 0, {one}});
    } else if (command == "obey") {
      agents_->obey(order_);
    } else if (command == "cancelled") {
      for (int agent = 0; agent < 3; ++agent) (*agents_)[agent].expect<wire::Cancel>();
      (*agents_)[0].send(wire::Outcome{order_.id, CPPC_ERR_CANCELLED, "given up on request"});
    } else if (command == "emptied") {
      words >> node;
      emptied_.add(node);
    } else {
      throw std::runtime_error("there is no command " + line);
    }
    std::cout << "ok" << std::endl;
  }

 private:
  void start_job() {
    const tools::NetworkAccess access{{"127.0.0.1", 0}, certificate_.certificate, certificate_.key, token_file_};
    controller_ =
        run::Controller::start({"heat-1f3a5b7d", "./heat", {{"node0", 2}, {"node1", 2}, {"node2", 4}}, "login1"}, "key",
                               jobs_, access)
            .value();
    agents_.emplace(controller_->addresses(), "key", std::vector<std::vector<int>>{{0, 1}, {2, 3}, {}});
  }

  void start_health() {
    const auto configuration =
        health::parse_configuration(
            "[site]\nnodes = [\"node0\", \"node1\", \"node2\", \"node3\"]\nevacuate_at_once = 4"
            "\nstate = \"" +
                directory_.path() + "/state\"\n[[rule]]\naction = \"evacuate\"\n" + "deadline_s = 600\n",
            "scene")
            .value();
    daemon_ = health::Daemon::start(
                  configuration, [this](const health::Task& task) { return emptied_.await(task); }, "1")
                  .value();
    health::Listen listen{"127.0.0.1", 0};
    listen.token_file = token_file_;
    service_ = health::serve(loop_.context(), *daemon_, listen).value();
  }

  const test::TemporaryDirectory directory_;
  const std::string jobs_ = directory_.path() + "/jobs";
  const std::string token_file_ = directory_.write("token", token + "\n");
  const test::Certificate certificate_ = test::make_certificate(directory_, "own", "DNS:localhost");
  Emptied emptied_;
  test::RunningLoop loop_;
  std::unique_ptr<run::Controller> controller_;
  std::optional<test::FakeAgents> agents_;
  wire::Order order_;
  std::unique_ptr<health::Daemon> daemon_;
  health::Service service_;
};

}  // namespace

int main() {
  spdlog::set_level(spdlog::level::off);  // it would write to standard output
  Scene scene;
  for (std::string line; std::getline(std::cin, line);) scene.obey(line);
}
