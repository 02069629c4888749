/// Which of libfabric's providers, and which interface of it, an endpoint uses.
#pragma once

#include <rdma/fabric.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tl/expected.hpp>

#include "cppc/status.h"

namespace cppc::fabric {

struct InfoDeleter {
  void operator()(fi_info* info) const { fi_freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, InfoDeleter>;

struct ProviderWish {
  std::string provider;              ///< "tcp", "tcp;ofi_rxm"; empty: the best there is
  std::string local_address;         ///< numeric; empty: the first that is not loopback
  bool rma = true;                   ///< prefer, or (exact) insist on, remote writes
  bool exact = false;                ///< take `rma` and `address_format` as they are
  std::uint32_t address_format = 0;  ///< with exact
};

/// CPPC_ERR_FABRIC when there is none such; the log lists those that are.
tl::expected<Info, cppc_status> choose_provider(ProviderWish wish);

/// The address from which this node would reach the socket address `peer`, in numbers; empty when it is not one.
tl::expected<std::string, cppc_status> address_towards(std::span<const std::byte> peer);

/// The same for processes that see each other's shared memory, different (almost surely) for others.
std::uint64_t node_identity();

}  // namespace cppc::fabric
