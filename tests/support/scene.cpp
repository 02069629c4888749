#include "scene.hpp"

#include <fstream>
#include <regex>
#include <utility>

namespace cppc::test {
namespace {

std::string match(const std::string& text, const char* pattern) {
  std::smatch found;
  return std::regex_search(text, found, std::regex(pattern)) ? found[1].str() : "";
}

std::vector<std::string> operator+(std::vector<std::string> left, const std::vector<std::string>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

}  // namespace

Answer heat_answer(const Finished& finished) {
  return {finished.status, match(finished.output, "heat: checksum ([0-9a-f]+)"),
          match(finished.output, "heat: ([0-9]+) steps"), finished.errors};
}

Answer undisturbed_heat(const Cluster& cluster, const std::string& ranks, const std::vector<std::string>& options,
                        const Answer& answer) {
  const std::vector<std::string> mpirun{"mpirun", "--mca", "mpi_yield_when_idle", "1", "--oversubscribe", "-n", ranks};
  const auto program = std::vector<std::string>{plain_app("heat"), "--quiet", "--steps", answer.steps} + options;
  return heat_answer(cluster.start("head", mpirun + program).wait(std::chrono::hours(1)));
}

HeatScene::HeatScene(int nodes, const std::vector<std::string>& placement, std::vector<std::string> options,
                     const std::vector<std::string>& settings, const std::string& cppc_run)
    : ranks_(placement.back()),
      options_(std::move(options)),
      cluster_(nodes),
      job_(cluster_, placement,
           std::vector<std::string>{app("heat"), "--quiet", "--until", folder_.file("stop"), "--pause-us", "5000"} +
               options_,
           settings, cppc_run) {
  job_.await_running();
}

Answer HeatScene::finish() {
  std::ofstream(folder_.file("stop")).flush();
  return heat_answer(job_.wait());
}

Answer HeatScene::undisturbed(const Answer& answer) const {
  return undisturbed_heat(cluster_, ranks_, options_, answer);
}

}  // namespace cppc::test
