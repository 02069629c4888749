/// The leaving rank's side of a migration: builds its image and ships it, from its slot at the desk.
#pragma once

#include "../desk.hpp"
#include "cppc/hooks.h"
#include "cppc/image.hpp"

namespace cppc::migration {

/// Packs the state with `writer` and sends it where the agent says. Only at the migration point. On CPPC_OK the
/// replacement has every byte, verified; anything else leaves this rank as it was. The slot tells the agent each step.
cppc_status depart(const cppc_runtime& runtime, image::Writer writer, Slot& slot);

/// The same for a rank that could not make a writer, for `status`: the agent is told.
void cannot_depart(cppc_status status, Slot& slot);

}  // namespace cppc::migration
