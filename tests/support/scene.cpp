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

Answer read(const Finished& finished) {
  return {finished.status, match(finished.output, "heat: checksum ([0-9a-f]+)"),
          match(finished.output, "heat: ([0-9]+) steps"), finished.errors};
}

std::vector<std::string> operator+(std::vector<std::string> left, const std::vector<std::string>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

}  // namespace

HeatScene::HeatScene(int nodes, const std::vector<std::string>& placement, std::vector<std::string> options,
                     const std::vector<std::string>& settings)
    : ranks_(placement.back()),
      options_(std::move(options)),
      cluster_(nodes),
      job_(cluster_, placement,
           std::vector<std::string>{app("heat"), "--quiet", "--until", folder_.file("stop")} + options_, settings) {
  job_.await_running();
}

Answer HeatScene::finish() {
  std::ofstream(folder_.file("stop")).flush();
  return read(job_.wait());
}

Answer HeatScene::undisturbed(const Answer& answer) const {
  // On the head alone: nodes may be off, and the answer does not depend on the place.
  const std::vector<std::string> mpirun{"mpirun", "--mca", "mpi_yield_when_idle", "1", "--oversubscribe", "-n", ranks_};
  return read(cluster_.run(
      "head", mpirun + std::vector<std::string>{app("heat"), "--quiet", "--steps", answer.steps} + options_));
}

}  // namespace cppc::test
