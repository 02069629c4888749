#include "../../slurm/slurm.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <sstream>
#include <thread>

#include "../../common/launch_messages.hpp"
#include "../../slurm/job_comment.hpp"
#include "../host_lists.hpp"
#include "resource_manager.hpp"

namespace cppc::run {
namespace {

using tools::error;

// Steps that srun has not been asked for: the batch script's, and the shell's that salloc may start on the first node.
constexpr std::uint32_t first_special_step = 0xfffffff0;

constexpr const char* consequence = "if it is powered off, Slurm ends that job unless it has --no-kill";

constexpr std::chrono::seconds others_timeout{20};
constexpr std::chrono::milliseconds pause{500};

constexpr int longest_repetition = 1 << 20;

std::string value(const Environment& present, const std::string& name) {
  const auto found = present.find(name);
  return found == present.end() ? "" : found->second;
}

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "4(x2),1" -> 4, 4, 1; none when it is not of that kind.
std::optional<std::vector<int>> repeated_numbers(const std::string& text) {
  std::vector<int> numbers;
  std::istringstream fields(text);
  for (std::string field; std::getline(fields, field, ',');) {
    const std::size_t open = field.find("(x");
    const bool repeats = open != std::string::npos && field.ends_with(')');
    const auto count = repeats ? number<int>(std::string_view(field).substr(open + 2, field.size() - open - 3)) : 1;
    const auto one = number<int>(std::string_view(field).substr(0, open));
    if (!one || !count || *one < 1 || *count < 1 || *count > longest_repetition) return std::nullopt;
    numbers.insert(numbers.end(), *count, *one);
  }
  return numbers;
}

Result<void> check_place(const Environment& present) {
  const auto step = number<std::uint32_t>(value(present, "SLURM_STEP_ID"));
  if (step && *step < first_special_step) {
    return error("cppc-run was started by srun (step " + std::to_string(*step) +
                 " of Slurm's job), which would start it once per task: start it in salloc or in the script of sbatch, "
                 "without srun");
  }
  if (!value(present, "SLURM_HET_SIZE").empty()) {
    return error(
        "this is a heterogeneous job of Slurm (SLURM_HET_SIZE is set), which cppc-run does not support: ask for "
        "all nodes in one component");
  }
  return {};
}

// As mpirun counts them: tasks of each node, or its processors where Slurm does not say how many tasks.
Result<std::vector<AllocatedNode>> nodes_in(const Environment& present, const std::vector<std::string>& names,
                                            const Machine& machine) {
  const char* variable = present.contains("SLURM_TASKS_PER_NODE") ? "SLURM_TASKS_PER_NODE" : "SLURM_JOB_CPUS_PER_NODE";
  const auto slots = repeated_numbers(value(present, variable));
  if (!slots || slots->size() != names.size()) {
    return error(std::string(variable) + " is \"" + value(present, variable) + "\", which does not tell the slots of " +
                 std::to_string(names.size()) + " nodes");
  }
  std::vector<AllocatedNode> nodes;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].find('.') != std::string::npos)
      return error("Slurm calls a node " + names[i] + "; mpirun needs names without a domain");
    nodes.push_back({machine.is_local(names[i]) ? machine.name : names[i], (*slots)[i]});
  }
  return nodes;
}

// The variables are those from when the job began: nodes may have left it since, after the evacuation of an earlier
// run.
Result<void> drop_released(const std::string& job, std::vector<std::string>& names, std::vector<AllocatedNode>& nodes) {
  const auto now = slurm::nodes_of(job);
  if (!now) return error("the nodes of Slurm's job " + job + " are not known: " + now.error());
  for (std::size_t i = names.size(); i-- > 0;) {
    if (std::ranges::find(now->names, names[i]) != now->names.end()) continue;
    spdlog::info("{} is not in Slurm's job {} any more", names[i], job);
    names.erase(names.begin() + static_cast<std::ptrdiff_t>(i));
    nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (nodes.empty()) return error("Slurm's job " + job + " has none of the nodes of SLURM_JOB_NODELIST any more");
  return {};
}

class Slurm : public ResourceManager {
 public:
  Slurm(std::string job, std::optional<int> ranks, std::vector<std::string> names, std::vector<AllocatedNode> nodes,
        std::string own)
      : job_(std::move(job)), ranks_(ranks), names_(std::move(names)), nodes_(std::move(nodes)), own_(std::move(own)) {}

  std::string name() const override { return "Slurm's job " + job_; }
  std::string id() const override { return "slurm:" + job_; }
  const std::vector<AllocatedNode>& nodes() const override { return nodes_; }
  std::optional<int> ranks() const override { return ranks_; }
  std::string prefix() const override { return "SLURM_"; }
  bool hides(const std::string& variable) const override { return slurm::is_of_job(variable); }
  Environment launch_settings() const override { return {{tools::slurm_job_variable, job_}}; }
  Release release(const std::string& node, const std::string& job, const std::stop_token& stop) override;
  Release keep(const std::string& reason) const override {
    return {Release::State::kept, "still in " + name() + ", " + reason + "; " + consequence};
  }
  Result<void> publish(const std::string& url) override { return rewrite(slurm::with_controller, url); }
  Result<void> withdraw(const std::string& url) override { return rewrite(slurm::without_controller, url); }

 private:
  Result<void> rewrite(std::string (*change)(const std::string& comment, const std::string& url),
                       const std::string& url) const {
    const auto comment = slurm::comment_of(job_);
    if (!comment) return error(comment.error());
    return slurm::set_comment(job_, change(*comment, url));
  }
  const std::string& slurms_name(const std::string& node) const {
    return names_[std::ranges::find(nodes_, node, &AllocatedNode::name) - nodes_.begin()];
  }
  Release refused(const slurm::ResizeFailure& failure) const;
  Result<std::string> others_on(const std::string& leaving, const std::string& job, const std::stop_token& stop) const;

  std::string job_;
  std::optional<int> ranks_;
  std::vector<std::string> names_;  // Slurm's, of nodes_
  std::vector<AllocatedNode> nodes_;
  std::string own_;  // this machine, as nodes_ has it
};

Release batch_host(const std::string& job) {
  return {Release::State::batch_host,
          "the batch script of " + job +
              " runs here, so that Slurm cannot take it out of it: to power it off ends that "
              "job (IN A SLURM ALLOCATION in cppc-run(1) has a way without such a node)"};
}

Release Slurm::refused(const slurm::ResizeFailure& failure) const {
  switch (failure.kind) {
    case slurm::ResizeFailure::Kind::batch_host:
      return batch_host(name());
    case slurm::ResizeFailure::Kind::no_accounting:
      return {Release::State::no_second,
              "still in " + name() +
                  ", since Slurm without accounting (slurmdbd) takes nodes out of a job only once; " + consequence};
    case slurm::ResizeFailure::Kind::other:
      break;
  }
  return keep("because " + failure.reason);
}

// Steps of Slurm's job that are not of cppc-run's job `job`; the daemon of that is ended. Other jobs of cppc-run may be
// about to leave the node as well.
Result<std::string> Slurm::others_on(const std::string& leaving, const std::string& job,
                                     const std::stop_token& stop) const {
  for (const auto end = std::chrono::steady_clock::now() + others_timeout;; std::this_thread::sleep_for(pause)) {
    const auto steps = slurm::steps_on(job_, leaving, stop);
    if (!steps) return error(steps.error());
    std::string others;
    for (const slurm::Step& step : *steps) {
      const bool own = step.name == job;
      if (!own) others += (others.empty() ? "" : ", ") + step.id + " (" + step.name + ")";
      if (own && !slurm::kill_step(step.id, stop)) others += step.id;  // it may have ended by now
    }
    if (others.empty() || stop.stop_requested() || std::chrono::steady_clock::now() >= end) return others;
  }
}

// Slurm is asked which nodes the job has now: others may have changed that.
Release Slurm::release(const std::string& node, const std::string& job, const std::stop_token& stop) {
  const std::string& leaving = slurms_name(node);
  const Release done{Release::State::released, "not in " + name() + " any more"};
  const auto now = slurm::nodes_of(job_, stop);
  if (!now) return keep("because " + now.error());
  if (now->batch_host == leaving) return batch_host(name());
  if (node == own_) return keep("since cppc-run runs here");
  const auto others = others_on(leaving, job, stop);
  if (!others) return keep("because " + others.error());
  if (!others->empty()) return keep("since other steps of it run here: " + *others);
  const auto left = slurm::nodes_of(job_, stop);
  if (!left) return keep("because " + left.error());
  std::vector<std::string> rest = left->names;
  if (std::erase(rest, leaving) == 0) return done;
  if (rest.empty()) return keep("which has no other node");
  const auto resized = slurm::keep_only(job_, rest, stop);
  const auto after = slurm::nodes_of(job_, stop);
  if (!after) return keep("as far as is known, because " + after.error());
  if (std::ranges::find(after->names, leaving) == after->names.end()) return done;
  return resized ? keep("though Slurm says that it was taken out") : refused(resized.error());
}

}  // namespace

Result<std::unique_ptr<ResourceManager>> join_slurm(const Environment& present, const Machine& machine) {
  if (const auto right = check_place(present); !right) return error(right.error());
  const std::string job =
      present.contains("SLURM_JOB_ID") ? value(present, "SLURM_JOB_ID") : value(present, "SLURM_JOBID");
  const std::string list = value(present, "SLURM_JOB_NODELIST");
  if (list.empty())
    return error("SLURM_JOB_ID is set, but not SLURM_JOB_NODELIST: which nodes does job " + job + " have?");
  auto names = slurm::expand(list);
  if (!names) return error("the nodes of Slurm's job " + job + " are not known: " + names.error());
  auto nodes = nodes_in(present, *names, machine);
  if (!nodes) return error(std::move(nodes).error());
  if (const auto dropped = drop_released(job, *names, *nodes); !dropped) return error(dropped.error());
  return std::make_unique<Slurm>(job, number<int>(value(present, "SLURM_NTASKS")), *std::move(names), *std::move(nodes),
                                 machine.name);
}

}  // namespace cppc::run
