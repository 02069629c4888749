#include "rebuild.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "job.hpp"

namespace cppc::bench::scale {
namespace {

namespace fs = std::filesystem;

constexpr int kNodes = 8;

[[noreturn]] void give_up(const std::string& what, const test::Finished& finished) {
  std::fprintf(stderr, "%s: status %d\n%s%s", what.c_str(), finished.status, finished.output.c_str(),
               finished.errors.c_str());
  std::exit(EXIT_FAILURE);
}

/// As many on each node, where there is place for as many again.
std::vector<std::string> placement(int ranks) {
  std::string hosts;
  for (int node = 0; node < kNodes; ++node)
    hosts += (node == 0 ? "node" : ",node") + std::to_string(node) + ":" + std::to_string(2 * ranks / kNodes);
  return {"--mca", "mpi_yield_when_idle", "1", "-H", hosts, "--map-by", "node", "-n", std::to_string(ranks)};
}

/// A line for each communicator that a process has made, a file for each process (count_messages.c).
Rebuild count(const fs::path& folder) {
  Rebuild sum;
  for (const auto& file : fs::directory_iterator(folder)) {
    std::ifstream lines(file.path());
    int rounds = 0;
    long messages = 0;
    for (long one = 0; lines >> one; ++rounds) messages += one;
    sum.rounds = std::max(sum.rounds, rounds);
    sum.messages += messages;
    sum.messages_max = std::max(sum.messages_max, messages);
  }
  return sum;
}

}  // namespace

Rebuild measure_rebuild(int ranks) {
  const test::Folder folder;
  const std::string messages = folder.file("messages");
  fs::create_directory(messages);
  const test::Cluster cluster(kNodes);
  auto options = placement(ranks);
  options.insert(options.end(),
                 {"-x", "LD_PRELOAD=" + test::library("count_messages"), "-x", "CPPC_BENCH_MESSAGES=" + messages});
  test::Job job(cluster, options,
                {test::app("heat"), "--quiet", "--mb", "1", "--pause-us", "50000", "--until", folder.file("stop")});
  job.await_running();
  for (const auto& file : fs::directory_iterator(messages)) fs::remove(file.path());  // of the start
  const test::Finished evacuated = job.migrate({"--evacuate", "node" + std::to_string(kNodes - 1), "--json"});
  if (evacuated.status != 0) give_up("an evacuation", evacuated);
  Rebuild rebuild = count(messages);
  if (rebuild.messages == 0) give_up("no message has been counted", evacuated);
  rebuild.milliseconds = nlohmann::json::parse(evacuated.output).at("jobs").at(0).at("rebuild_ms");
  std::ofstream(folder.file("stop")).flush();
  if (const test::Finished finished = job.wait(); finished.status != 0) give_up("heat", finished);
  return rebuild;
}

}  // namespace cppc::bench::scale
