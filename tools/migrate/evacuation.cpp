#include "evacuation.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <thread>

#include "../common/host_name.hpp"

namespace cppc::migrate {
namespace {

using nlohmann::json;
using Names = std::vector<std::string>;

std::string joined(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

bool contains(const Names& names, const std::string& name) { return std::ranges::find(names, name) != names.end(); }

std::string short_name(const json& object, const char* field) { return tools::without_domain(text(object, field)); }

}  // namespace

Exit Evacuation::run() {
  const auto running = scope_.look();
  if (!running) return give_up(running.error(), Exit::failed);
  learn_names(running->jobs);
  choose(running->jobs);
  const bool known = std::ranges::any_of(running->jobs, [&](const RunningJob& job) { return node_of(job) != nullptr; });
  if (requests_.empty() && !known) return give_up("refused: no job has a node " + request_.evacuate, Exit::refused);
  follow();
  if (request_.dry_run) return report_plan();
  if (!known) return give_up(requests_.front().ending()->reason, requests_.front().ending()->how);
  const Verdict verdict = judge();
  print(verdict);
  return verdict.how;
}

// Jobs may call a node by different names: then what it calls itself tells that it is the same.
void Evacuation::learn_names(const std::vector<RunningJob>& jobs) {
  names_.insert(tools::without_domain(request_.evacuate));
  for (const RunningJob& job : jobs) {
    for (const json& node : list(job.description, "nodes")) {
      const std::string host = short_name(node, "host");
      if (!host.empty() && host != "localhost" && short_name(node, "node") == *names_.begin()) {
        names_.insert(host);
        return;
      }
    }
  }
}

bool Evacuation::is_meant(const json& node) const {
  return names_.contains(short_name(node, "node")) || names_.contains(short_name(node, "host"));
}

const json* Evacuation::node_of(const RunningJob& job) const {
  const json& nodes = list(job.description, "nodes");
  const auto found = std::ranges::find_if(nodes, [&](const json& node) { return is_meant(node); });
  return found == nodes.end() ? nullptr : &*found;
}

// Where a node has been lost without ranks, the job goes on without it.
bool Evacuation::stays(const RunningJob& job) const {
  const json* const node = node_of(job);
  if (node == nullptr || text(job.description, "state") == "ended") return false;
  const std::string state = text(*node, "state");
  return state != "evacuated" && (state != "down" || !list(*node, "ranks").empty());
}

// A job has left the node before, but the resource manager has not let go of it.
bool Evacuation::may_be_released(const RunningJob& job) const {
  const json* const node = node_of(job);
  if (node == nullptr || text(job.description, "state") == "ended" || request_.keep_node) return false;
  const std::string release = text(*node, "release");
  return !release.empty() && release != "released";
}

Exit Evacuation::give_up(const std::string& reason, Exit how) const {
  if (request_.json) print_json({{"error", reason}});
  complain(reason);
  return how;
}

// Where there is one job alone, it says itself why it does not know the node.
void Evacuation::choose(const std::vector<RunningJob>& jobs) {
  for (const RunningJob& job : jobs) {
    const bool chosen = scope_.job.empty() || job.id == scope_.job;
    const bool alone = !scope_.job.empty() || jobs.size() == 1;
    const bool concerned = stays(job) || may_be_released(job) || (alone && node_of(job) == nullptr);
    if (!chosen || !concerned) continue;
    Request request = request_;
    if (const json* node = node_of(job)) request.evacuate = text(*node, "node");
    requests_.emplace_back(job, std::move(request));
  }
}

void Evacuation::follow() {
  while (true) {
    bool over = true;
    for (MigrationRequest& one : requests_) {
      one.poll();
      if (one.accepted() && !request_.json) show(one);
      over = over && one.ending();
    }
    if (over) break;
    std::this_thread::sleep_for(requests_.front().job().client.pause());
  }
  progress_.clear();
}

// Of several jobs only lines: bars would be drawn over each other.
void Evacuation::show(MigrationRequest& one) {
  const bool bar = requests_.size() == 1 && isatty(STDOUT_FILENO) != 0;
  announce(one);
  const auto progress = progress_.try_emplace(one.job().id, stdout, bar, label(one)).first;
  if (!one.ending()) progress->second.show(one.migration(), std::chrono::steady_clock::now());
}

// As cppc-run tells of the node, or of the migration that has emptied it: the job may have ended since then.
Exit Evacuation::still_allocated(const std::vector<RunningJob>& jobs, std::set<std::string>& why) const {
  Exit worst = Exit::done;
  const auto look = [&](const json& described) {
    const std::string release = text(described, "release");
    if (release.empty() || release == "released") return;
    why.insert(text(described, "release_text"));
    worst = std::max(worst, release == "batch-host"          ? Exit::batch_host
                            : release == "no-second-release" ? Exit::no_second_release
                                                             : Exit::node_kept);
  };
  for (const RunningJob& job : jobs)
    if (const json* node = node_of(job); node != nullptr) look(*node);
  for (const MigrationRequest& one : requests_)
    if (one.ending()) look(one.ending()->answer);
  return worst;
}

// By what is there now: jobs have come and gone meanwhile.
Evacuation::Verdict Evacuation::judge() const {
  Verdict verdict;
  auto running = scope_.look();
  if (!running) running = RunningJobs{{}, {running.error()}};
  verdict.silent = running->silent;
  if (!scope_.sees_all) verdict.silent.push_back("other jobs, which --server does not see");
  for (const RunningJob& job : running->jobs) {
    if (stays(job)) verdict.left.push_back(job.id);
    if (names_.contains(short_name(job.description, "controller")) && text(job.description, "state") != "ended")
      verdict.controllers.push_back(job.id);
  }
  verdict.how = worst(verdict.left);
  const Exit allocated = still_allocated(running->jobs, verdict.kept);
  conclude(verdict, allocated);
  return verdict;
}

void Evacuation::conclude(Verdict& verdict, Exit allocated) {
  const auto decide = [&](Exit how, const std::string& what) {
    verdict.text = what;
    if (verdict.how == Exit::done) verdict.how = how;
  };
  const std::string kept = joined({verdict.kept.begin(), verdict.kept.end()});
  if (!verdict.left.empty()) {
    decide(Exit::others_left, "not safe to power off: still there: " + joined(verdict.left));
  } else if (!verdict.silent.empty()) {
    decide(Exit::others_left, "not known to be safe to power off: no answer from " + joined(verdict.silent));
  } else if (allocated == Exit::batch_host || (!verdict.kept.empty() && verdict.controllers.empty())) {
    decide(allocated, "empty, but not safe to power off: " + kept);
  } else if (!verdict.controllers.empty()) {
    decide(Exit::controller_here,
           "empty, but cppc-run runs here: do not power it off before the end of " + joined(verdict.controllers));
  } else {
    verdict.text = verdict.how == Exit::done ? "safe to power off" : "empty";
  }
}

// What has not been done for a job that is not there any more does not matter, unless the request has ended it.
Exit Evacuation::worst(const Names& left) const {
  for (const Exit how : {Exit::damaged, Exit::failed, Exit::timeout, Exit::wrong_usage, Exit::refused}) {
    for (const MigrationRequest& one : requests_)
      if (one.ending()->how == how && (how == Exit::damaged || contains(left, one.job().id))) return how;
  }
  return Exit::done;
}

std::string Evacuation::label(const MigrationRequest& one) const {
  return requests_.size() > 1 ? "job " + one.job().id + ": " : "";
}

void Evacuation::report(const MigrationRequest& one, const Verdict& verdict) const {
  const Ending& ending = *one.ending();
  const bool gone = ending.how != Exit::done && ending.how != Exit::damaged && !contains(verdict.left, one.job().id);
  if (ending.how != Exit::done && !gone) complain(label(one) + ending.reason);
  if (request_.json) return;
  if (ending.how == Exit::done) std::printf("%s%s\n", label(one).c_str(), result(ending.answer).c_str());
  if (gone) std::printf("%sis not there any more\n", label(one).c_str());
}

void Evacuation::print(const Verdict& verdict) const {
  for (const MigrationRequest& one : requests_) report(one, verdict);
  if (request_.json) {
    print_json({{"node", request_.evacuate},
                {"safe", verdict.how == Exit::done},
                {"verdict", verdict.text},
                {"jobs", answers()},
                {"left", verdict.left},
                {"silent", verdict.silent},
                {"controllers", verdict.controllers},
                {"kept", verdict.kept}});
  } else {
    std::printf("%s: %s\n", request_.evacuate.c_str(), verdict.text.c_str());
  }
}

Exit Evacuation::report_plan() const {
  Names all;
  for (const MigrationRequest& one : requests_) {
    const Ending& ending = *one.ending();
    const std::string moves = moves_text(list(ending.answer, "moves"));
    all.push_back(one.job().id);
    if (ending.how != Exit::done) {
      complain(label(one) + ending.reason);
    } else if (!request_.json) {
      std::printf("%swould move %s\n", label(one).c_str(),
                  moves.empty() ? ("nothing: no rank is on " + request_.evacuate).c_str() : moves.c_str());
    }
  }
  if (request_.json) print_json({{"node", request_.evacuate}, {"jobs", answers()}});
  return worst(all);
}

json Evacuation::answers() const {
  json jobs = json::array();
  for (const MigrationRequest& one : requests_) {
    jobs.push_back(one.ending()->answer);
    jobs.back()["job"] = one.job().id;
  }
  return jobs;
}

}  // namespace cppc::migrate
