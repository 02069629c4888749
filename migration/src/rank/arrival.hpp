/// The replacement's side of a migration: receives the image of the rank it takes over and restores it.
#pragma once

#include <utility>

#include "../desk.hpp"
#include "../fabric.hpp"
#include "cppc/hooks.h"

namespace cppc::migration {

class Arrival {
 public:
  /// Opens the fabric and tells the agent that this process is ready.
  static tl::expected<Arrival, cppc_status> prepare(Slot& slot);

  /// Waits for the image and hands it to the runtime. After an error this process must end.
  cppc_status fetch(const cppc_runtime& runtime);

 private:
  Arrival(Slot& slot, fabric::Endpoint endpoint) : slot_(&slot), endpoint_(std::move(endpoint)) {}
  Slot* slot_;
  fabric::Endpoint endpoint_;  ///< until fetch() uses it up
};

}  // namespace cppc::migration
