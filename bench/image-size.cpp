/// What of a program's state goes into the image of a rank, against what a careful hand would save: each program of
/// tests/apps on one rank, at a time step, and the NAS Parallel Benchmarks from a directory of the user's.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <span>

#include "image-size/report.hpp"
#include "image-size/suite.hpp"
#include "job.hpp"
#include "measure.hpp"
#include "short_form.hpp"

using namespace cppc;

int main(int argc, char** argv) {
  CLI::App options{"What of a program's state goes into the image of a rank."};
  std::string suite;
  options.add_option("--npb", suite,
                     "measure NPB 3 (MPI) in this directory, too: class A, four ranks; nothing there is changed");
  CLI11_PARSE(options, argc, argv);

  std::printf(
      "MB on one rank. saved: what of the program's state goes into the image; by hand: the arrays that its source "
      "says\n"
      "to be live; reachable: global variables, the stack and the used part of the heap; tables: the runtime's own "
      "part\n"
      "of the image, on top.\n");
  bench::print_heading("");
  nlohmann::ordered_json figures{{"bench", "image-size"}};
  const std::vector<bench::Load> loads = bench::loads();
  for (const bench::Load& load : std::span(loads).first(bench::unless_short(loads.size(), bench::kShortLoads))) {
    std::vector<std::string> command{test::app(load.program)};
    command.insert(command.end(), load.arguments.begin(), load.arguments.end());
    const bench::Sizes sizes = bench::sizes_of(test::measure(command, load.safe_point));
    bench::add_figures(figures, load.program, sizes, load.by_hand);
    bench::print_line(load.program, sizes, load.by_hand);
  }
  if (!suite.empty()) figures["npb"] = bench::measure_suite(suite);
  std::printf("%s\n", figures.dump().c_str());
}
