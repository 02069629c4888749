/// How long it takes from the request until a rank works on another node, by what the program is doing: a solver with
/// steps of milliseconds, the same when the request comes while the job is being started, halves of the ranks that have
/// no collective operation in common, half a minute of computing between two calls of MPI, and the same of one rank
/// that the others wait for in a collective operation. All but the solver have no marked safe points. All check their
/// own results.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "figures.hpp"
#include "job.hpp"
#include "short_form.hpp"

namespace {

using namespace cppc;
using Words = std::vector<std::string>;

/// Long enough for what has to take a moment when all goes well, with a processor for two ranks.
constexpr int kTimeout = 60;

struct Case {
  const char* name;  ///< of its figure
  const char* what;
  Words command;        ///< the file that ends it is its last argument
  std::string working;  ///< what it prints when its work has begun; empty: it is not waited for, nor for the start
};

struct Outcome {
  std::vector<double> seconds;
  std::string failure;
};

std::vector<Case> cases() {
  return {{"heat_s", "steps of milliseconds", {test::app("heat"), "--mb", "16", "--until"}, "step 100:"},
          {"at_start_s", "is being started", {test::app("heat"), "--mb", "16", "--until"}, ""},
          {"no_world_s", "halves without a collective in common", {test::tool("response-no-world")}, "working"},
          {"long_compute_s",
           "30 s between calls",
           {test::tool("response-long-compute"), bench::unless_short("30", "2"), "all"},
           "working"},
          {"late_rank_s",
           "one computes for 30 s, the others wait",
           {test::tool("response-long-compute"), bench::unless_short("30", "4"), "one"},
           "working"}};
}

/// Whether it has begun before it has ended.
bool await_work(test::Job& job, const std::string& sign) {
  while (job.process().running()) {
    if (job.process().output().find(sign) != std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

/// Whether there is a job to ask.
bool await_job(test::Job& job) {
  while (job.process().running() && !job.status().is_object())
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return job.process().running();
}

bool await(test::Job& job, const Case& one) {
  if (one.working.empty()) return await_job(job);
  job.await_running();
  return await_work(job, one.working);
}

std::string text(const std::string& output) {
  const std::string line = output.substr(0, output.find('\n'));
  return line.empty() ? "nothing said" : line;
}

/// Moves a rank to the third node: on to `outcome`. Whether it did.
bool move(const test::Job& job, int rank, Outcome& outcome) {
  const test::Finished finished =
      job.migrate({"--rank", std::to_string(rank), "--to", "node2", "--timeout", std::to_string(kTimeout), "--json"});
  if (finished.status == 0) {
    outcome.seconds.push_back(nlohmann::json::parse(finished.output).at("response_ms").get<double>() / 1000);
    return true;
  }
  const auto answer = nlohmann::json::parse(text(finished.output), nullptr, false);
  const bool has_error = answer.is_object() && answer.contains("error");
  outcome.failure = "rank " + std::to_string(rank) + " has not moved: " +
                    (has_error ? answer.at("error").dump() : text(finished.output + finished.errors));
  return false;
}

Outcome measure(const Case& one, int moves) {
  const test::Folder folder;
  const test::Cluster cluster(3);
  Words command = one.command;
  command.push_back(folder.file("stop"));
  test::Job job(cluster, {"-H", "node0:2,node1:2,node2:4", "-n", "4"}, command);
  Outcome outcome;
  if (await(job, one)) {
    if (one.working.empty()) moves = 1;  // the others would come later
    for (int rank = 3; rank > 3 - moves && move(job, rank, outcome); --rank) {
    }
  }
  std::ofstream(folder.file("stop")).flush();
  const test::Finished finished = job.wait();
  if (finished.status != 0 && outcome.failure.empty())
    outcome.failure = "status " + std::to_string(finished.status) + ": " + text(finished.errors + finished.output);
  return outcome;
}

}  // namespace

int main(int argc, char** argv) {
  int moves = 3;
  CLI::App options{"How long from the request until a rank works on another node."};
  options.add_option("--moves", moves, "ranks that move in each program")->check(CLI::Range(1, 3));
  CLI11_PARSE(options, argc, argv);
  std::printf("Four ranks on three nodes, %d of them move: seconds from the request until the replacement works\n",
              moves);
  std::printf("%-40s %8s %8s %8s\n", "the program's ranks", "median", "lowest", "highest");
  nlohmann::ordered_json figures{{"bench", "response"}};
  bool all = true;
  for (const Case& one : cases()) {
    const Outcome outcome = measure(one, moves);
    if (outcome.failure.empty()) {
      const bench::Spread spread = bench::spread(outcome.seconds);
      std::printf("%-40s %8.2f %8.2f %8.2f\n", one.what, spread.median, spread.low, spread.high);
      figures[one.name] = std::round(spread.high * 1000) / 1000;
    } else {
      std::printf("%-40s failed: %s\n", one.what, outcome.failure.c_str());
      figures[one.name] = nullptr;
      all = false;
    }
    std::fflush(stdout);
  }
  std::printf("%s\n", figures.dump().c_str());
  return all ? EXIT_SUCCESS : EXIT_FAILURE;
}
