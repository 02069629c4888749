#include "keeper_links.hpp"

#include <spdlog/spdlog.h>

#include <atomic>
#include <condition_variable>
#include <future>

#include "../common/command.hpp"
#include "cppc/deadlines.hpp"

namespace cppc::run {
namespace {

using nlohmann::json;
using tools::error;
using namespace std::chrono_literals;

constexpr auto start_timeout = 20s;
constexpr auto timeout = 5s;  // with answers that keepers need not work for
constexpr const char* given_up = "given up";

}  // namespace

KeeperLinks::~KeeperLinks() {
  beats_ = {};
  std::vector<std::future<void>> ends;
  for (const auto& [node, link] : all())
    ends.push_back(std::async(std::launch::async, [link = link] { link->quit(); }));
}

Result<KeeperLinks::Link> KeeperLinks::start_one(const AllocatedNode& node,
                                                 const std::vector<std::string>& arguments) const {
  std::vector<std::string> command = settings_.way_to(node);
  const bool by_shell = !command.empty();
  command.push_back(by_shell ? tools::quoted(settings_.program) : settings_.program);
  command.insert(command.end(), arguments.begin(), arguments.end());
  const json first{{"job", settings_.job},
                   {"key", settings_.key},
                   {"silence_s", settings_.silence.count()},
                   {"environment", settings_.environment},
                   {"outlives", settings_.outlive}};
  auto link = KeeperLink::start(command, first, start_timeout);
  if (!link) return error(std::move(link).error());
  return Link(*std::move(link));
}

KeeperLinks::Started KeeperLinks::start_on(const std::vector<AllocatedNode>& nodes,
                                           const std::vector<std::string>& arguments) const {
  std::vector<std::future<Result<Link>>> futures;
  for (const AllocatedNode& node : nodes)
    futures.push_back(std::async(std::launch::async, [&] { return start_one(node, arguments); }));
  Started started;
  for (std::size_t i = 0; i < nodes.size(); ++i) started.emplace_back(nodes[i].name, futures[i].get());
  return started;
}

void KeeperLinks::add(const std::string& node, Link link) {
  const std::lock_guard lock(mutex_);
  links_[node] = std::move(link);
}

std::vector<AllocatedNode> KeeperLinks::without_keeper(const std::vector<AllocatedNode>& nodes) {
  std::vector<AllocatedNode> without;
  for (const AllocatedNode& node : nodes) {
    if (link(node.name) != nullptr || is_left_out(node.name)) continue;
    Link before;  // ends beyond the lock
    {
      const std::lock_guard lock(mutex_);
      if (auto old = links_.extract(node.name)) before = std::move(old.mapped());
    }
    without.push_back(node);
  }
  return without;
}

void KeeperLinks::begin_beats() {
  if (!beats_.joinable()) beats_ = std::jthread([this](const std::stop_token& stop) { beat(stop); });
}

// A keeper that hears nothing for long takes cppc-run for dead.
void KeeperLinks::beat(const std::stop_token& stop) const {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  while (!stopped.wait_for(lock, stop, deadlines::keep() / 4.0, [] { return false; }) && !stop.stop_requested())
    ask_all({{"do", "ping"}});
}

void KeeperLinks::let_go() {
  beats_ = {};
  for (const auto& [node, its] : all()) its->lose();
}

KeeperLinks::Link KeeperLinks::link(const std::string& node) const {
  const std::lock_guard lock(mutex_);
  const auto found = links_.find(node);
  return found != links_.end() && found->second->alive() ? found->second : nullptr;
}

std::map<std::string, KeeperLinks::Link> KeeperLinks::all() const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, Link> alive;
  for (const auto& [node, link] : links_)
    if (link->alive()) alive.emplace(node, link);
  return alive;
}

bool KeeperLinks::ask_all(const json& request) const {
  std::vector<std::future<bool>> answers;
  for (const auto& [node, link] : all())
    answers.push_back(std::async(std::launch::async, [node = node, link = link, &request] {
      const auto answer = link->ask(request, timeout);
      if (answer) return true;
      spdlog::warn("{}: {}", node, answer.error());
      link->lose();
      return false;
    }));
  bool all_have = true;
  for (auto& one : answers) all_have = one.get() && all_have;
  return all_have;
}

Result<void> KeeperLinks::run(const std::vector<Task>& tasks) const {
  std::atomic<bool> failed = false;
  const auto run_one = [&](const Task& task) -> Result<void> {
    const Link its = link(task.node);
    if (its == nullptr) return error("a keeper has ended, on " + task.node);
    const auto done = its->ask(task.request, deadlines::ship(), [&] { return !failed; });
    if (done) return {};
    if (done.error() == given_up) return error(given_up);
    return error(task.node + (task.with.empty() ? "" : ", to " + task.with) + ": " + done.error());
  };
  std::vector<std::future<Result<void>>> runs;
  for (const Task& task : tasks)
    runs.push_back(std::async(std::launch::async, [&]() -> Result<void> {
      auto done = run_one(task);
      if (!done) failed = true;
      return done;
    }));
  std::string why;
  for (auto& one : runs)
    if (const auto done = one.get(); !done && (why.empty() || why == given_up)) why = done.error();
  if (!why.empty()) return error(why);
  return {};
}

void KeeperLinks::lose(const std::set<std::string>& nodes) {
  const std::lock_guard lock(mutex_);
  for (const std::string& node : nodes) {
    left_out_.insert(node);
    if (const auto found = links_.find(node); found != links_.end()) found->second->lose();
  }
}

void KeeperLinks::leave_out(const std::string& node) {
  const std::lock_guard lock(mutex_);
  left_out_.insert(node);
}

bool KeeperLinks::is_left_out(const std::string& node) const {
  const std::lock_guard lock(mutex_);
  return left_out_.contains(node);
}

void KeeperLinks::use_all_again() {
  const std::lock_guard lock(mutex_);
  left_out_.clear();
}

}  // namespace cppc::run
