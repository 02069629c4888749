/// The state of this process at one moment, by address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "address/carried_objects.hpp"
#include "address/dead_claims.hpp"
#include "address/outward_words.hpp"
#include "address/pieces.hpp"
#include "address/protections.hpp"

namespace cppc::address {

class Capture {
 public:
  /// What is `dead` goes without its contents. What the program has on its stack begins at `stack_end`, as
  /// program_stack::stop() says. CPPC_ERR_UNSUPPORTED, logged by name, when something cannot be carried over. Changes
  /// nothing.
  static tl::expected<Capture, cppc_status> take(std::uint64_t passed, unsigned site, const DeadClaims& dead,
                                                 std::byte* stack_end);

  /// The same, without what takes time in proportion to the state: that is search().
  static tl::expected<Capture, cppc_status> describe(std::uint64_t passed, unsigned site, const DeadClaims& dead,
                                                     std::byte* stack_end);

  /// Looks through the state for what leads out of it. Where it is as it was when it was described: in this process
  /// before the program goes on, or in a child forked until then, on its only thread. The error says by name why it
  /// cannot be carried over.
  tl::expected<void, std::string> search();

  /// As cppc_runtime::capture: valid while neither the program goes on nor this object is destroyed. Without the
  /// runtime's own block before search().
  cppc_status visit(cppc_status (*visit)(const cppc_block* block, void* context), void* context) const;

  /// The runtime's own block. After search().
  [[nodiscard]] std::span<const std::byte> runtime_block() const { return bytes_; }
  [[nodiscard]] std::uint64_t bytes_of_pieces() const;

 private:
  tl::expected<void, cppc_status> search_shared();

  Block block_;
  Readable readable_;  ///< what the program has protected against itself
  std::vector<CarriedObject> objects_;
  std::unique_ptr<OutwardWords> outward_;
  std::vector<std::byte> bytes_;
};

/// Bytes of all that take() would carry over, dead or not, but for large memory that nobody has touched. Any time.
std::uint64_t state_bytes();

}  // namespace cppc::address
