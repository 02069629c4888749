/// What of a program's state goes into the image of a rank: each program of tests/apps on one rank, at a time step.
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>

#include "job.hpp"
#include "measure.hpp"
#include "short_form.hpp"

namespace {

using namespace cppc;

struct Load {
  std::string program;
  std::vector<std::string> arguments;
  int safe_point;
};

const std::vector<Load> kLoads{
    {"heat", {"--quiet", "--mb", "64", "--steps", "10"}, 4},
    {"cg", {"W", "--quiet"}, 4},
    {"ep", {"S", "--repeat", "3"}, 2},
    {"is", {"A"}, 4},
    {"mg", {"W", "--repeat", "2"}, 4},
    {"ft", {"W"}, 4},
    {"md", {"--layers", "120", "--steps", "8"}, 4},
    {"tree", {"--steps", "10"}, 4},
    {"blocks", {"--size", "256", "--steps", "8"}, 4},
    {"types", {"--rows", "1000", "--columns", "1000", "--steps", "8"}, 4},
};

/// The runtime's own part of the image: types, and a table of the heap.
double tables(const nlohmann::json& objects) {
  double bytes = 0;
  for (const auto& object : objects)
    if (object.at("section") == "runtime") bytes += object.at("bytes").get<double>();
  return bytes;
}

double megabytes(double bytes) { return std::round(bytes) / 1e6; }

}  // namespace

int main() {
  std::printf(
      "MB on one rank. reachable: global variables, the stack and the used part of the heap; saved: what of them\n"
      "goes into the image; tables: the runtime's own part of the image, on top.\n");
  std::printf("%-8s %12s %12s %8s %12s\n", "program", "saved", "reachable", "%", "tables");
  nlohmann::ordered_json saved;
  nlohmann::ordered_json reachable;
  for (const Load& load : std::span(kLoads).first(bench::unless_short(kLoads.size(), std::size_t{1}))) {
    std::vector<std::string> command{test::app(load.program)};
    command.insert(command.end(), load.arguments.begin(), load.arguments.end());
    const nlohmann::json measured = test::measure(command, load.safe_point);
    const double own = tables(measured.at("objects"));
    const double live = measured.at("saved").get<double>() - own;
    const double all = measured.at("reachable").get<double>();
    saved[load.program] = megabytes(live);
    reachable[load.program] = megabytes(all);
    std::printf("%-8s %12.6f %12.6f %8.1f %12.6f\n", load.program.c_str(), live / 1e6, all / 1e6, 100 * live / all,
                own / 1e6);
  }
  std::printf(
      "%s\n",
      nlohmann::ordered_json{{"bench", "image-size"}, {"saved_mb", saved}, {"reachable_mb", reachable}}.dump().c_str());
}
