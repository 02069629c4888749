/// A source that breaks the protocol.
#pragma once

#include <string>

#include "fabric.hpp"

/// Sends a cargo of one extent of contents, in one chunk, right but for `lie`: "hash" (of that chunk, each time),
/// "hash-once" (the first time), "digest" (of all), "place" (outside of the image). Returns with what the target says.
tl::expected<cppc::fabric::Transferred, cppc_status> tell_lie(cppc::fabric::Endpoint endpoint,
                                                              const cppc::fabric::Offer& offer,
                                                              const cppc::fabric::Cargo& cargo,
                                                              const cppc::fabric::TransferLimits& limits,
                                                              const std::string& lie);
