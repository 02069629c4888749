/// The replacement's side of a migration: receives the image of the rank it takes over and restores it.
#pragma once

#include <functional>
#include <utility>

#include "../control_block.hpp"
#include "../fabric.hpp"
#include "cppc/hooks.h"

namespace cppc::migration {

class Arrival {
 public:
  /// Makes room for what is expected, puts an offer into the slot and tells the agent that this process is
  /// ready.
  static tl::expected<Arrival, cppc_status> prepare(const cppc_runtime& runtime, Slot& slot);

  /// Waits for the image, of which every part goes where the runtime wants it. `given_up`: there will be none. After an
  /// error this process must end.
  cppc_status fetch(const cppc_runtime& runtime, const std::function<bool()>& given_up);

 private:
  Arrival(Slot& slot, fabric::Receiver receiver) : slot_(&slot), receiver_(std::move(receiver)) {}
  Slot* slot_;
  fabric::Receiver receiver_;
};

}  // namespace cppc::migration
