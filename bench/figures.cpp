#include "figures.hpp"

#include <algorithm>
#include <cmath>

namespace cppc::bench {

Spread spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {median, values.front(), values.back()};
}

double percentile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const auto below = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(below, 1) - 1];
}

}  // namespace cppc::bench
