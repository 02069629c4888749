#include "restless.hpp"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <sstream>
#include <thread>

namespace cppc::test {
namespace {

constexpr const char* kHolding = "hold: ";
/// Holds for each migration: one to begin it, and more, so that it need not end before the program holds again.
constexpr int kHolds = 4;
/// How long the program holds for a migration that has begun, the first time; longer takes longer, shorter may take
/// more holds. Each further time it is twice as long, up to kDoublings times, so that kHolds are enough on a busy
/// machine, too.
constexpr auto kTimeout = std::chrono::milliseconds(200);
constexpr int kDoublings = 6;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

int count_holds(const std::string& output) {
  std::istringstream lines(output);
  int count = 0;
  for (std::string line; std::getline(lines, line);) count += line.starts_with(kHolding) ? 1 : 0;
  return count;
}

std::vector<std::string> placement(std::vector<std::string> options) {
  const std::string ranks = std::to_string(kRanks);
  std::string hosts;
  for (int node = 0; node < kNodes; ++node) {
    if (node > 0) hosts += ",";
    hosts.append("node").append(std::to_string(node)).append(":").append(ranks);
  }
  options.insert(options.end(), {"--mca", "mpi_yield_when_idle", "1", "-H", hosts, "--map-by", "node", "-n", ranks});
  return options;
}

}  // namespace

std::vector<std::string> lasting(const Program& program, int migrations) {
  std::vector<std::string> arguments = program.arguments;
  arguments.insert(arguments.end(), {program.lasting, std::to_string(program.unit * migrations)});
  return arguments;
}

std::string answer(const Finished& finished) {
  std::istringstream lines(finished.output);
  std::string text;
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with(kHolding)) text += line + "\n";
  return text;
}

RestlessJob::RestlessJob(const Cluster& cluster, const Folder& folder, const Program& program,
                         const std::vector<std::string>& command, int migrations, unsigned seed,
                         const std::vector<std::string>& options)
    : cluster_(&cluster),
      migrations_(migrations),
      go_on_file_(folder.file("go-on")),
      random_(seed),
      job_(cluster, placement(options), holding(program, command, migrations)) {
  job_.await_running();
  for (int rank = 0; rank < kRanks; ++rank) nodes_.push_back(std::stoi(job_.node_of(rank).substr(4)));
}

std::vector<std::string> RestlessJob::holding(const Program& program, std::vector<std::string> command,
                                              int migrations) {
  const int holds = kHolds * migrations;
  const int stretch = program.steps / kHolds;
  std::string steps;
  for (int hold = 0; hold < holds; ++hold) {
    if (hold > 0) steps += ",";
    steps += std::to_string(hold * stretch + number(stretch));
  }
  command.insert(command.end(), {"--hold", go_on_file_, "--hold-at", steps});
  return command;
}

bool RestlessJob::holds() { return count_holds(job_.process().output()) > released_; }

void RestlessJob::let_go() {
  std::ofstream(go_on_file_).flush();
  ++released_;
}

void RestlessJob::start_migration() {
  if (turn_.empty()) {
    turn_.resize(kRanks);
    std::iota(turn_.begin(), turn_.end(), 0);
    std::ranges::shuffle(turn_, random_);
  }
  rank_ = turn_.back();
  turn_.pop_back();
  target_ = (nodes_[rank_] + 1 + number(kNodes - 1)) % kNodes;
  begun_at_ = released_;
  migration_.emplace(cluster_->start(
      "head", {tool("migrate"), "--rank", std::to_string(rank_), "--to", "node" + std::to_string(target_)}));
}

void RestlessJob::finish_migration() {
  const Finished finished = migration_->wait();
  migration_.reset();
  if (finished.status != 0) {
    problems_ += "rank " + std::to_string(rank_) + " to node" + std::to_string(target_) + ": status " +
                 std::to_string(finished.status) + "\n" + finished.output + finished.errors;
    return;
  }
  nodes_[rank_] = target_;
  moved_.insert(rank_);
  ++done_;
}

bool RestlessJob::migration_ends_soon() {
  const int before = released_ - begun_at_ - 1;
  const auto until = std::chrono::steady_clock::now() + kTimeout * (1 << std::min(before, kDoublings));
  while (migration_->running() && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return !migration_->running();
}

/// While the program holds.
void RestlessJob::go_on() {
  if (!migration_ && done_ < migrations_ && problems_.empty()) start_migration();
  if (!migration_) {
    let_go();
  } else if (released_ == begun_at_) {
    // The replacement is there, and the ranks are about to be asked to stop: now the program may go on.
    if (contains(migration_->output(), "negotiate")) let_go();
  } else if (!migration_ends_soon()) {
    let_go();
  }
}

Finished RestlessJob::run() {
  while (job_.process().running()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (migration_ && !migration_->running()) finish_migration();
    if (holds()) go_on();
  }
  if (migration_) finish_migration();
  return job_.wait();
}

}  // namespace cppc::test
