#include <spdlog/spdlog.h>

#include <algorithm>

#include "fabric/guard.hpp"
#include "fabric/sender.hpp"

namespace cppc::fabric {
namespace {

using Result = tl::expected<void, cppc_status>;

bool in_order(std::span<const Extent> extents) {
  std::uint64_t end = 0;
  return std::ranges::all_of(extents, [&](const Extent& extent) {
    const bool good = extent.offset >= end && extent.bytes.size() <= ~extent.offset;
    end = extent.offset + extent.bytes.size();
    return good;
  });
}

Result check_arguments(const Endpoint::Impl& endpoint, const Offer& offer, const Cargo& cargo, const Tuning& tuning) {
  if (!in_order(cargo.head) || !in_order(cargo.contents)) {
    spdlog::error("the extents of an image are not in rising order");
    return tl::unexpected(CPPC_ERR_ARGUMENT);
  }
  if (tuning.chunk_bytes == 0 || tuning.in_flight == 0) {
    spdlog::error("the fabric cannot send {} chunks of {} bytes at a time", tuning.in_flight, tuning.chunk_bytes);
    return tl::unexpected(CPPC_ERR_ARGUMENT);
  }
  if (endpoint.provider != offer.provider || endpoint.rma != offer.rma) {
    spdlog::error("the target's fabric provider is {}, this endpoint's {}: open it with open_towards", offer.provider,
                  endpoint.provider);
    return tl::unexpected(CPPC_ERR_ARGUMENT);
  }
  return {};
}

}  // namespace

tl::expected<Transferred, cppc_status> send(Endpoint endpoint, const Offer& offer, const Cargo& cargo,
                                            const TransferLimits& limits, const Progress& progress,
                                            const Tuning& tuning) {
  return guarded([&]() -> tl::expected<Transferred, cppc_status> {
    if (auto fit = check_arguments(endpoint.impl(), offer, cargo, tuning); !fit) return tl::unexpected(fit.error());
    return Sender(endpoint.impl(), offer, cargo, limits, progress, tuning).run();
  });
}

}  // namespace cppc::fabric
