/// How many ranks mpirun starts when nobody says how many: it works that out for a job of one program only, and with
/// the agents there are several.
#pragma once

#include "allocation.hpp"

namespace cppc::run {

/// Of the only program of the job. An error when that depends on what only the nodes themselves know.
Result<int> default_rank_count(const Context& context, const Allocation& allocation, const Machine& machine);

}  // namespace cppc::run
