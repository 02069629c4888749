/// Guesses of how much work functions and loops are, to find those that matter.
#pragma once

#include <vector>

#include "points_to.hpp"

namespace cppc::analysis {

class Costs {
 public:
  Costs(const ir::Program& program, const PointsTo& points_to);

  /// In statements, callees and all passes of loops included.
  double of_function(ir::Index function);
  double of_loop(ir::Index loop);
  double of_pass(ir::Index loop);

 private:
  double of_calls(ir::Index function, ir::Index loop);

  const ir::Program& program_;
  const PointsTo& points_to_;
  std::vector<double> costs_;  ///< by function; negative when not known yet
  std::vector<std::vector<ir::Index>> calls_, loops_;
};

}  // namespace cppc::analysis
