/// The choice of safe points: loops at whose start nothing is in flight and that are worth a checkpoint.
#pragma once

#include "effects.hpp"
#include "overwrites.hpp"
#include "traffic.hpp"

namespace cppc::analysis {

struct SafePoint {
  ir::Index marker;
  ir::Index loop;      ///< none: at a statement that the user has marked
  std::string reason;  ///< why it is safe, or why it was taken nevertheless
  bool forced = false;
  bool proved = true;  ///< nothing in flight on any path; otherwise only the runtime can tell
};

/// A loop that would have been worth a checkpoint.
struct Rejected {
  ir::Index loop;
  std::string why;
};

struct Choice {
  std::vector<SafePoint> points;
  std::vector<Rejected> rejected;
};

Choice choose_safe_points(const ir::Program& program, const PointsTo& points_to, const Traffic& traffic,
                          Overwrites& overwrites);

}  // namespace cppc::analysis
