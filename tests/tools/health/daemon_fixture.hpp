/// A daemon in this process, which nodes are emptied for by the test.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/ssl/context.hpp>
#include <condition_variable>
#include <fstream>
#include <future>
#include <sstream>

#include "../running_loop.hpp"
#include "../temporary_directory.hpp"
#include "daemon.hpp"
#include "http_client.hpp"
#include "service.hpp"

namespace cppc::health {

const std::string token = "0123456789abcdef0123456789abcdef";

class DaemonTest : public testing::Test {
 protected:
  DaemonTest() { std::filesystem::permissions(token_file_, std::filesystem::perms(0600)); }
  ~DaemonTest() override { stop(); }

  /// `text` is the configuration, besides nodes node0 to node3.
  void start(const std::string& text) {
    auto configuration =
        parse_configuration("[site]\nnodes = [\"node0\", \"node1\", \"node2\", \"node3\"]\nstate = \"" +
                                directory_.path() + "/state\"\n" + text,
                            "test");
    ASSERT_TRUE(configuration.has_value()) << configuration.error();
    configuration_ = *configuration;
    start_again();
  }
  void start_again() {
    auto daemon = Daemon::start(
        configuration_, [this](const Task& task) { return empty(task); }, "1.2.3");
    ASSERT_TRUE(daemon.has_value()) << daemon.error();
    daemon_ = *std::move(daemon);
    listen_.token_file = token_file_;
    auto service = serve(loop_.context(), *daemon_, listen_);
    ASSERT_TRUE(service.has_value()) << service.error();
    service_ = *std::move(service);
  }
  /// As the program does when it is told to end.
  void stop() {
    if (!daemon_) return;
    daemon_->events().close();
    service_.server.reset();
    daemon_.reset();
  }

  migrate::HttpReply ask(const std::string& method, const std::string& path, const std::string& body = "",
                         const std::string& bearer = token) const {
    const migrate::HttpRequest request{method, path, {{"Authorization", "Bearer " + bearer}}, body};
    const migrate::Timeouts timeout{std::chrono::minutes(1), std::chrono::minutes(1)};
    return listen_.certificate.empty()
               ? migrate::ask_by_tcp("127.0.0.1", service_.port, request, timeout)
               : migrate::ask_by_tls({"localhost", service_.port, listen_.certificate}, request, timeout);
  }
  int post(const std::string& body) const { return ask("POST", "/v1/notices", body).status; }
  nlohmann::json state() const { return nlohmann::json::parse(ask("GET", "/v1/state").body); }
  nlohmann::json evacuation_of(const std::string& node) const {
    for (const auto now = state(); const auto& one : now["nodes"])
      if (one["node"] == node) return one.value("evacuation", nlohmann::json());
    return {};
  }
  std::string metrics() const { return ask("GET", "/metrics").body; }
  std::string audit() const {
    std::ostringstream text;
    text << std::ifstream(directory_.path() + "/state/audit.log").rdbuf();
    return text.str();
  }

  /// The next node that is to be emptied.
  Task next_task() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::minutes(1), [&] { return !tasks_.empty(); });
    if (tasks_.empty()) throw std::runtime_error("no evacuation begins");
    Task task = tasks_.front();
    tasks_.erase(tasks_.begin());
    return task;
  }
  void finish(const std::string& node, const Report& report) {
    const std::scoped_lock lock(mutex_);
    reports_[node] = report;
    changed_.notify_all();
  }
  void await_stage(const std::string& node, const std::string& stage) {
    while (evacuation_of(node).is_null() || evacuation_of(node)["stage"] != stage) std::this_thread::yield();
  }
  bool nothing_begun() {
    const std::scoped_lock lock(mutex_);
    return tasks_.empty();
  }

  test::TemporaryDirectory directory_;
  const std::string token_file_ = directory_.write("token", token + "\n");
  test::RunningLoop loop_;
  Configuration configuration_;
  Listen listen_{"127.0.0.1", 0};
  std::unique_ptr<Daemon> daemon_;
  Service service_;

 private:
  Report empty(const Task& task) {
    std::unique_lock lock(mutex_);
    tasks_.push_back(task);
    changed_.notify_all();
    changed_.wait(lock, task.stop, [&] { return reports_.contains(task.start.node); });
    const auto found = reports_.find(task.start.node);
    if (found == reports_.end()) return {};  // is to stop
    Report report = found->second;
    reports_.erase(found);
    return report;
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Task> tasks_;
  std::map<std::string, Report> reports_;
};

}  // namespace cppc::health
