/// The leaving rank's side of a migration: sends its state from where it lies, and tells its slot at the control block.
#pragma once

#include <functional>
#include <utility>

#include "../control_block.hpp"
#include "../fabric.hpp"
#include "build_image.hpp"
#include "cppc/hooks.h"
#include "cppc/image.hpp"

namespace cppc::migration {

class Departure {
 public:
  /// What can be done while the others still work: for the offer in the slot.
  static tl::expected<Departure, cppc_status> prepare(Slot& slot);

  /// Whether it is for the offer that is in the slot now.
  [[nodiscard]] bool suits(const Slot& slot) const;

  /// Sends the state. Only at the migration point, once. The replacement has every byte of the image, verified; an
  /// error leaves this rank as it was, and the slot tells the agent. `given_up`: nobody waits for it any more.
  tl::expected<image::Image, cppc_status> depart(const cppc_runtime& runtime, const std::function<bool()>& given_up);

 private:
  Departure(Slot& slot, fabric::Offer offer, fabric::Endpoint endpoint, ImageBuilder builder)
      : slot_(&slot), offer_(std::move(offer)), endpoint_(std::move(endpoint)), builder_(std::move(builder)) {}

  tl::expected<image::Image, cppc_status> pack(const cppc_runtime& runtime);
  tl::expected<void, cppc_status> ship(const image::Image& image, const std::function<bool()>& given_up);

  Slot* slot_;
  fabric::Offer offer_;
  fabric::Endpoint endpoint_;
  ImageBuilder builder_;
};

/// The same for a rank that could not prepare, for `status`: the agent is told.
void cannot_depart(cppc_status status, Slot& slot);

/// Tells the agent that the runtime cannot save or restore the state, and why, in the runtime's words.
void report_failure(const cppc_runtime& runtime, cppc_status status, Slot& slot);

}  // namespace cppc::migration
