/// Functions that make data structures on the heap, once for each of their calls: what one call makes is told apart
/// from what the others make, however many blocks there are and whatever leads from one to another.
#pragma once

#include "models/models.hpp"
#include "points_to.hpp"

namespace cppc::analysis {

/// Fills Program::instances. Says whether there are any; the points-to sets have to be computed again then.
bool add_instances(ir::Program& program, const models::Models& models, const PointsTo& points_to);

}  // namespace cppc::analysis
