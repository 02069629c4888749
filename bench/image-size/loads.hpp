/// The programs of tests/apps whose images are measured, and what a careful hand would save of each.
#pragma once

#include <string>
#include <vector>

namespace cppc::bench {

/// What has to be saved at the start of a time step: arrays by their names in the source, scalars as "others".
struct Saved {
  std::string what;
  double bytes;
};

struct Load {
  std::string program;
  std::vector<std::string> arguments;
  int safe_point;
  std::vector<Saved> by_hand;  ///< as the program's source lists it; empty: that depends on the run
};

/// On one rank. The first ones are enough to see that it works.
std::vector<Load> loads();
constexpr std::size_t kShortLoads = 2;

double total(const std::vector<Saved>& by_hand);

}  // namespace cppc::bench
