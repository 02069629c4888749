/// The state of this process at one moment, by address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tl/expected.hpp>
#include <vector>

#include "address/dead_claims.hpp"
#include "address/pieces.hpp"

namespace cppc::address {

class Capture {
 public:
  /// What is `dead` goes without its contents. What the program has on its stack begins at `stack_end`, as
  /// program_stack::stop() says. CPPC_ERR_UNSUPPORTED, logged by name, when something cannot be carried over. Changes
  /// nothing.
  static tl::expected<Capture, cppc_status> take(std::uint64_t passed, unsigned site, const DeadClaims& dead,
                                                 std::byte* stack_end);

  /// As cppc_runtime::capture: valid while neither the program goes on nor this object is destroyed.
  cppc_status visit(cppc_status (*visit)(const cppc_block* block, void* context), void* context) const;

 private:
  std::vector<Piece> pieces_;
  std::vector<std::byte> block_;
};

/// Bytes of all that take() would carry over, dead or not. Any time.
std::uint64_t state_bytes();

}  // namespace cppc::address
