#include "evacuator.hpp"

#include <algorithm>
#include <cmath>

#include "../common/host_name.hpp"
#include "child.hpp"
#include "clock.hpp"
#include "exit.hpp"
#include "job_client.hpp"
#include "slurm.hpp"

namespace cppc::health {
namespace {

using migrate::Exit;
using migrate::list;
using migrate::number;
using migrate::whole_number;
using nlohmann::json;
using tools::error;
using namespace std::chrono_literals;

constexpr std::size_t longest_why = 500;  // bytes
constexpr Time timeout = 60s;             // with a status, a plan, and with the end of a migrate whose time is up
constexpr double least_bytes = 16e6;      // smaller images say nothing about the rate
constexpr Time shortest = 1s;
constexpr Time slurm_timeout = 10s;
constexpr std::size_t longest_reason = 200;

std::string megabytes(double bytes) { return std::to_string(std::llround(bytes / 1e6)) + " MB"; }

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

bool is_meant(const json& node, const std::string& name) {
  return tools::without_domain(migrate::text(node, "node")) == name ||
         tools::without_domain(migrate::text(node, "host")) == name;
}

std::string of_job(const json& job) {
  const std::string name = "job " + migrate::text(job, "job") + ": ";
  const std::string failure = migrate::text(job, "error"), reason = migrate::text(job, "reason");
  if (!failure.empty()) return name + failure;
  const std::string state = migrate::text(job, "state");
  if (state != "done") return name + state + (reason.empty() ? "" : ": " + reason);
  char took[32];
  std::snprintf(took, sizeof took, " in %.2f s", number(job, "seconds"));
  return name + megabytes(number(job, "image_bytes")) + " moved" + took;
}

std::string of_jobs(const json& answer) {
  std::string text;
  for (const json& job : list(answer, "jobs")) text += (text.empty() ? "" : "; ") + of_job(job);
  return text;
}

Report report(int status, const json& answer, const std::string& errors) {
  const std::string verdict = migrate::text(answer, "verdict"), jobs = of_jobs(answer);
  std::string summary = !verdict.empty() ? verdict : migrate::text(answer, "error");
  if (summary.empty()) summary = first_line(errors);
  if (!jobs.empty()) summary += "; " + jobs;
  switch (static_cast<Exit>(status)) {
    case Exit::done:
      return {Outcome::emptied, "done", summary};
    case Exit::controller_here:
      return {Outcome::emptied, "controller-here", summary};
    case Exit::batch_host:  // of ranks it is empty; Slurm will not let it go
      return {Outcome::emptied, "batch-host", summary};
    case Exit::no_second_release:
      return {Outcome::emptied, "no-second-release", summary};
    case Exit::node_kept:  // it can be asked again
      return {Outcome::failed, "node-kept", summary};
    case Exit::damaged:
      return {Outcome::hopeless, "damaged", summary};
    case Exit::wrong_usage:
      return {Outcome::hopeless, "wrong-usage", summary};
    case Exit::refused:
      return {Outcome::failed, "refused", summary};
    case Exit::others_left:
      return {Outcome::failed, "others-left", summary};
    case Exit::timeout:
      return {Outcome::failed, "timeout", summary};
    case Exit::failed:
      break;
  }
  return {Outcome::failed, "failed",
          summary.empty() ? "migrate has ended with status " + std::to_string(status) : summary};
}

std::string joined(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

}  // namespace

/// A job that has the node.
struct Evacuator::Need {
  std::string job;
  double bytes = 0;  ///< of its ranks there
};

struct Evacuator::Seen {
  std::vector<Need> needs;
  std::string silent;  ///< what does not answer, for people; empty: all do
};

Report Evacuator::operator()(const Task& task) {
  const Time end = time_since_boot() + task.start.left;
  if (slurm_ && !dry_run_) drain(task);
  auto seen = look(task);
  if (!seen) return {Outcome::failed, "failed", seen.error()};
  if (seen->needs.empty() && !seen->silent.empty())
    return {Outcome::failed, "silent", "not known to be empty: " + seen->silent};
  if (seen->needs.empty()) return {Outcome::emptied, "nothing-there", "no job that is known here uses it"};
  if (dry_run_) return plan(task);
  if (is_too_much(task, seen->needs)) return smallest_first(task, std::move(seen->needs), end);
  return empty(task, "", end - time_since_boot());
}

// Before ranks leave, so that no others come. What Slurm has drained itself has its own reason.
void Evacuator::drain(const Task& task) const {
  if (task.start.trigger == slurm_drain) return;
  const auto finished = run_command({"scontrol", "update", "nodename=" + task.start.node, "state=drain",
                                     "reason=" + std::string(own_reason) + task.start.cause.substr(0, longest_reason)},
                                    slurm_timeout, task.stop);
  if (finished && finished->status == 0) return;
  task.announce("is not drained in Slurm, new jobs may come: " +
                (finished ? first_line(finished->errors) : finished.error()));
}

Result<Evacuator::Seen> Evacuator::look(const Task& task) const {
  const auto finished = run_command({migrate_, "status", "--json"}, timeout, task.stop);
  if (!finished) return error(finished.error());
  const json jobs = json::parse(finished->output, nullptr, /*allow_exceptions=*/false);
  if (finished->status != 0 || !jobs.is_array()) return error("migrate status: " + first_line(finished->errors));
  Seen seen{{}, first_line(finished->errors)};
  for (const json& job : jobs) {
    const json& nodes = list(job, "nodes");
    const auto node = std::ranges::find_if(nodes, [&](const json& one) { return is_meant(one, task.start.node); });
    if (node == nodes.end() || migrate::text(*node, "state") == "evacuated") continue;
    Need need{migrate::text(job, "job")};
    for (const json& rank : list(job, "ranks"))
      if (migrate::text(rank, "node") == migrate::text(*node, "node")) need.bytes += number(rank, "bytes");
    seen.needs.push_back(need);
  }
  return seen;
}

bool Evacuator::is_too_much(const Task& task, const std::vector<Need>& needs) const {
  double bytes = 0;
  for (const Need& need : needs) bytes += need.bytes;
  const std::scoped_lock lock(mutex_);
  const double left = std::chrono::duration<double>(task.start.left).count();
  if (rate_ == 0 || bytes / rate_ <= left) return false;
  task.announce("cannot be emptied in time: " + megabytes(bytes) + " at " + megabytes(rate_) + "/s take " +
                std::to_string(std::llround(std::ceil(bytes / rate_))) + " s, and " +
                std::to_string(std::llround(left)) + " s are left; the smallest jobs go first");
  return true;
}

/// `job` empty: all of them, at the same time.
Report Evacuator::empty(const Task& task, const std::string& job, Time left) {
  left = std::max(left, shortest);
  std::vector<std::string> command{migrate_, "--evacuate", task.start.node,
                                   "--json", "--timeout",  std::to_string(static_cast<double>(left.count()) / 1000)};
  if (!task.start.cause.empty()) command.insert(command.end(), {"--why", task.start.cause.substr(0, longest_why)});
  if (!job.empty()) command.insert(command.end(), {"--job", job});
  if (!task.avoid.empty()) command.insert(command.end(), {"--avoid", joined(task.avoid)});
  const auto finished = run_command(command, left + timeout, task.stop);
  if (!finished) return {Outcome::failed, "failed", finished.error()};
  const json answer = json::parse(finished->output, nullptr, /*allow_exceptions=*/false);
  learn_rate(list(answer, "jobs"));
  return report(finished->status, answer, finished->errors);
}

// Each that has left is one that is not lost.
Report Evacuator::smallest_first(const Task& task, std::vector<Need> needs, Time end) {
  std::ranges::stable_sort(needs, {}, &Need::bytes);
  Report all{Outcome::emptied, "done", ""};
  for (const Need& need : needs) {
    const Time left = end - time_since_boot();
    if (left <= 0ms) {
      all = {Outcome::failed, "timeout", all.summary + "; no time was left for job " + need.job};
      continue;
    }
    const Report one = empty(task, need.job, left);
    all.summary += (all.summary.empty() ? "" : "; ") + one.summary;
    // As long as others are to follow, those are left.
    const bool others = one.result == "others-left" && &need != &needs.back();
    if (one.outcome == Outcome::emptied || others) continue;
    all.outcome = one.outcome;
    all.result = one.result;
  }
  return all;
}

Report Evacuator::plan(const Task& task) const {
  std::vector<std::string> command{migrate_, "--evacuate", task.start.node, "--json", "--dry-run"};
  if (!task.avoid.empty()) command.insert(command.end(), {"--avoid", joined(task.avoid)});
  const auto finished = run_command(command, timeout, task.stop);
  if (!finished) return {Outcome::failed, "failed", finished.error()};
  const json answer = json::parse(finished->output, nullptr, /*allow_exceptions=*/false);
  std::string summary;
  for (const json& job : list(answer, "jobs")) {
    const std::string failure = migrate::text(job, "error");
    summary += (summary.empty() ? "" : "; ") + std::string("job ") + migrate::text(job, "job") + ": ";
    summary += failure.empty() ? std::to_string(list(job, "moves").size()) + " ranks would move" : failure;
  }
  if (finished->status == 0) return {Outcome::emptied, "dry-run", "dry run, nothing is moved: " + summary};
  return {Outcome::failed, "refused", "dry run: " + (summary.empty() ? first_line(finished->errors) : summary)};
}

void Evacuator::learn_rate(const json& jobs) {
  const std::scoped_lock lock(mutex_);
  for (const json& job : jobs) {
    const double bytes = number(job, "image_bytes"), seconds = number(job, "seconds");
    if (migrate::text(job, "state") == "done" && bytes >= least_bytes && seconds > 0)
      rate_ = std::max(rate_, bytes / seconds);
  }
}

}  // namespace cppc::health
