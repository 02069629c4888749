/// The heap as the analyses see it: one object for each call that allocates, of functions that wrap
/// malloc() too.
#pragma once

#include "ir/program.hpp"
#include "models/models.hpp"

namespace cppc::analysis {

void add_heap_objects(ir::Program& program, const models::Models& models);

class PointsTo;

/// Functions that do no more than allocate for their caller: each call of one gets an object of its own. Says whether
/// there are new ones; the points-to sets have to be computed again then.
bool add_wrapper_objects(ir::Program& program, const models::Models& models, const PointsTo& points_to);

}  // namespace cppc::analysis
