/// What is live on the paths to safe points, after all that follows in the functions around them up to main().
#pragma once

#include <map>
#include <set>
#include <vector>

#include "effects.hpp"

namespace cppc::analysis {

class Liveness {
 public:
  /// `functions`: all from which a safe point can be reached; `calls`: those by which it is reached in them; `open`:
  /// functions that may also return to code that is not known.
  Liveness(const ir::Program& program, const PointsTo& points_to, const Effects& effects,
           const std::vector<ir::Index>& functions, const std::vector<ir::Index>& calls,
           const std::set<ir::Index>& open = {});

  [[nodiscard]] Objects at_marker(ir::Index function, ir::Index marker) const;
  [[nodiscard]] Objects after_call(ir::Index function, ir::Index call) const;
  [[nodiscard]] const Objects& at_exit(ir::Index function) const { return exits_.at(function); }

  /// Those of the objects that others than their function can reach.
  [[nodiscard]] Objects memory(const Objects& objects) const;

 private:
  [[nodiscard]] const std::vector<Objects>& at_blocks(ir::Index function) const;

  const ir::Program& program_;
  const Effects& effects_;
  Objects private_;                     ///< locals whose address nobody has
  std::map<ir::Index, Objects> exits_;  ///< by function: live after it
  mutable ir::Index known_ = ir::none;  ///< the function of which these are
  mutable std::vector<Objects> at_blocks_;
};

}  // namespace cppc::analysis
