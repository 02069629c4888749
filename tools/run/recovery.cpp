#include "recovery.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "cppc/checkpoint_files.hpp"
#include "verify.hpp"

namespace cppc::run {
namespace {

constexpr int times_to_look = 5;  // at a directory that cannot be read
constexpr std::chrono::seconds between_looks{1};
constexpr int by_signal = 128;  // exit statuses from here on: also how mpirun tells that it has lost a daemon

}  // namespace

std::string names_of(const std::vector<AllocatedNode>& nodes) {
  std::string text;
  for (const AllocatedNode& node : nodes) text += (text.empty() ? "" : ", ") + node.name;
  return text;
}

std::optional<Allocation> without(Allocation allocation, const std::set<std::string>& nodes) {
  const auto is_gone = [&](const AllocatedNode& node) { return nodes.contains(node.name); };
  std::erase_if(allocation.nodes, is_gone);
  bool enough = !allocation.nodes.empty();
  for (auto& [context, its] : allocation.of_context) {
    std::erase_if(its, is_gone);
    enough = enough && !its.empty();
  }
  return enough ? std::optional(std::move(allocation)) : std::nullopt;
}

bool is_loss(const JobEnd& end) { return !end.stop_requested && (end.damaged || end.status >= by_signal); }

Recovery::Recovery(CheckpointOptions options, std::string job, Reaches reaches, BeginInput begin_input,
                   Keepers* keepers)
    : options_(std::move(options)),
      job_(std::move(job)),
      reaches_(std::move(reaches)),
      begin_input_(std::move(begin_input)),
      keepers_(keepers),
      last_(options_.restart) {}

// Of this job; else the one that it was started from.
Result<std::string> Recovery::newest() {
  if (keepers_ == nullptr) return newest_on_disk();
  const std::uint64_t set = keepers_->newest();
  return set == 0 ? options_.restart : checkpoint::in_memory(set);
}

// A file system that does not answer is no reason to begin anew.
Result<std::string> Recovery::newest_on_disk() const {
  auto all = checkpoint::all_of(options_.directory, job_);
  for (int i = 1; i < times_to_look && !all; ++i) {
    std::this_thread::sleep_for(between_looks);
    all = checkpoint::all_of(options_.directory, job_);
  }
  if (!all) return tools::error(all.error());
  for (const auto& checkpoint : *all)
    if (!damaged_.contains(checkpoint.directory) && checkpoint::missing_parts(checkpoint).empty())
      return checkpoint.directory.string();
  return options_.restart;
}

// All of it is read, which takes long: only when what was started from it has failed.
bool Recovery::is_damaged(const std::string& from) {
  if (keepers_ != nullptr || from == options_.restart) return false;
  const auto checkpoint = checkpoint::find(from);
  const std::vector<std::string> found =
      checkpoint ? checkpoint::damage(*checkpoint) : std::vector<std::string>{checkpoint.error()};
  for (const std::string& one : found) spdlog::error("no job can go on from {}: {}", from, one);
  if (!found.empty()) damaged_.insert(from);
  return !found.empty();
}

std::optional<Allocation> Recovery::left_of(const Allocation& allocation, const std::set<std::string>& known) const {
  std::vector<std::future<bool>> answers;
  for (const AllocatedNode& node : allocation.nodes)
    answers.push_back(
        std::async(std::launch::async, [&, this] { return !known.contains(node.name) && reaches_(node); }));
  std::set<std::string> silent;
  for (std::size_t i = 0; i < answers.size(); ++i)
    if (!answers[i].get()) silent.insert(allocation.nodes[i].name);
  for (const std::string& name : silent) spdlog::error("{} does not answer: the job goes on without it", name);
  if (keepers_ != nullptr) keepers_->lose(silent);
  return without(allocation, silent);
}

std::optional<Recovery::Start> Recovery::after(const JobEnd& end, const Allocation& allocation) {
  if (options_.recoveries == 0 || end.status == EXIT_SUCCESS || end.stop_requested) return std::nullopt;
  if (starts_ == 0 && !is_loss(end)) return std::nullopt;  // it was started from nothing that could be damaged
  auto found = newest();
  const bool is_useless = found && *found == last_ && is_damaged(last_);
  if (!is_useless && !is_loss(end)) return std::nullopt;
  if (is_useless) found = newest();
  auto left = left_of(allocation, end.silent);
  if (!left) {
    spdlog::error("the job has been lost with status {}, and no node is left to start it on", end.status);
    return std::nullopt;
  }
  if (!found) {
    spdlog::error(
        "the job has been lost with status {} and is not started again: its checkpoints cannot be looked at: {}",
        end.status, found.error());
    return std::nullopt;
  }
  const std::string& from = *found;
  starts_ = from == std::exchange(last_, from) ? starts_ + 1 : 1;
  if (starts_ > options_.recoveries) {
    spdlog::error(
        "the job has been lost with status {} and is not started again: there has been no new checkpoint "
        "since the last {} times",
        end.status, options_.recoveries);
    return std::nullopt;
  }
  if (from.empty() && !begin_input_()) {
    spdlog::error(
        "the job has been lost with status {} and is not started again: there is no checkpoint, and its standard "
        "input, which may have been read, is no file",
        end.status);
    return std::nullopt;
  }
  if (keepers_ == nullptr) checkpoint::discard_drafts(options_.directory, job_);
  spdlog::error("the job has been lost with status {}; it is started again from {}, on {}", end.status,
                from.empty() ? "its beginning" : from, names_of(left->nodes));
  return Start{from, *std::move(left)};
}

}  // namespace cppc::run
