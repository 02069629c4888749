/// Small statistics over measurements.
#pragma once

#include <cstddef>
#include <vector>

namespace cppc::bench {

struct Spread {
  double median = 0, low = 0, high = 0;  ///< low, high: extremes
};

/// Of at least one value.
Spread spread(std::vector<double> values);

/// The least of the values that is not below `share` of them (0 to 1]; of at least one.
double percentile(std::vector<double> values, double share);

}  // namespace cppc::bench
