#include <spdlog/spdlog.h>

#include <utility>

#include "fabric/guard.hpp"
#include "fabric/random.hpp"
#include "fabric/reception.hpp"

namespace cppc::fabric {

struct Receiver::Impl {
  Endpoint endpoint;
  Offer offer;
  Reception::Slots slots = Reception::make_slots();
  bool used = false;
};

tl::expected<Receiver, cppc_status> Receiver::prepare(Endpoint endpoint) {
  return guarded([&]() -> tl::expected<Receiver, cppc_status> {
    const auto& fabric = endpoint.impl();
    Offer offer{.provider = fabric.provider,
                .address_format = fabric.info->addr_format,
                .address = fabric.address,
                .node = node_identity(),
                .rma = fabric.rma};
    random_bytes(offer.token);
    return Receiver(std::make_unique<Impl>(Impl{.endpoint = std::move(endpoint), .offer = std::move(offer)}));
  });
}

Receiver::Receiver(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Receiver::Receiver(Receiver&&) noexcept = default;
Receiver& Receiver::operator=(Receiver&&) noexcept = default;
Receiver::~Receiver() = default;

const Offer& Receiver::offer() const { return impl_->offer; }

tl::expected<Transferred, cppc_status> Receiver::receive(const Unpack& unpack, const TransferLimits& limits,
                                                         const Progress& progress) {
  return guarded([&]() -> tl::expected<Transferred, cppc_status> {
    if (std::exchange(impl_->used, true)) {
      spdlog::error("a fabric receiver was used twice");
      return tl::unexpected(CPPC_ERR_STATE);
    }
    return Reception(impl_->endpoint.impl(), impl_->offer, unpack, limits, progress, std::move(impl_->slots)).run();
  });
}

}  // namespace cppc::fabric
