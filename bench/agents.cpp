/// Processor time of agents while a job runs and nobody migrates.
#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>

#include "figures.hpp"
#include "job.hpp"
#include "short_form.hpp"

namespace {

using namespace cppc;
using namespace std::chrono_literals;

/// Time on a processor of the agent on `node` and of its guardian, all their threads, in seconds.
double processor_seconds(const test::Cluster& cluster, const std::string& node) {
  std::string script = "cat";
  for (const pid_t process : cluster.processes(node, test::tool("cppc-agent")))
    script += " /proc/" + std::to_string(process) + "/task/*/schedstat";
  std::istringstream lines(cluster.run(node, {"sh", "-c", script + " </dev/null"}).output);
  double total = 0;
  for (double running = 0, waiting = 0, slices = 0; lines >> running >> waiting >> slices;) total += running / 1e9;
  if (total == 0) {
    std::fprintf(stderr, "%s: no agent, or a kernel that does not account processor time in schedstat\n", node.c_str());
    std::exit(1);
  }
  return total;
}

}  // namespace

int main() {
  const std::vector<std::string> nodes{"node0", "node1", "node2"};
  const test::Folder folder;
  const test::Cluster cluster(static_cast<int>(nodes.size()));
  test::Job job(cluster, {"-H", "node0:2,node1:2,node2:2", "-n", "4"},
                {test::app("heat"), "--quiet", "--mb", "8", "--until", folder.file("stop")});
  job.await_running();
  std::vector<double> before;
  for (const auto& node : nodes) before.push_back(processor_seconds(cluster, node));
  const auto start = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(bench::unless_short(20s, 1s));
  const std::chrono::duration<double> period = std::chrono::steady_clock::now() - start;
  double most = 0;
  std::printf("%-10s %s\n", "agent on", "% of a core");
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const double percent = 100 * (processor_seconds(cluster, nodes[i]) - before[i]) / period.count();
    std::printf("%-10s %.4f\n", nodes[i].c_str(), percent);
    most = std::max(most, percent);
  }
  std::ofstream(folder.file("stop")).flush();
  const test::Finished finished = job.wait();
  if (finished.status != 0) {
    std::fprintf(stderr, "the job ended with status %d\n%s", finished.status, finished.errors.c_str());
    return 1;
  }
  std::printf("{\"bench\":\"agents\",\"cpu_percent_max\":%.4f}\n", most);
}
