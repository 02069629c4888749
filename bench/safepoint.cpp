/// What a safe point costs when nobody asks for a migration: a loop with one against the loop without, in turn.
#include <cstdio>
#include <sstream>

#include "figures.hpp"
#include "job.hpp"

int main() {
  using namespace cppc;
  const test::Finished finished = test::Process({test::tool("cppc-run"), "-n", "1", test::tool("safepoint-loop")},
                                                {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"})
                                      .wait();
  std::vector<double> bare;
  std::vector<double> extra;
  std::istringstream lines(finished.output);
  for (double plain = 0, with = 0; lines >> plain >> with;) {
    bare.push_back(plain);
    extra.push_back(with - plain);
  }
  if (finished.status != 0 || extra.empty()) {
    std::fprintf(stderr, "safepoint-loop under cppc-run: status %d\n%s%s", finished.status, finished.output.c_str(),
                 finished.errors.c_str());
    return 1;
  }
  const bench::Spread loop = bench::spread(bare);
  const bench::Spread cost = bench::spread(extra);
  std::printf("%-28s %10s %10s %10s\n", "ns a pass", "median", "lowest", "highest");
  std::printf("%-28s %10.2f %10.2f %10.2f\n", "empty loop", loop.median, loop.low, loop.high);
  std::printf("%-28s %10.2f %10.2f %10.2f\n", "a safe point adds", cost.median, cost.low, cost.high);
  std::printf("{\"bench\":\"safepoint\",\"ns\":%.2f}\n", cost.median);
}
