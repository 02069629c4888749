/// Calls that a replacement repeats: what they have done outside of the state, in libraries say, does not move.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "cppc/cppc.h"
#include "inventory.hpp"

namespace cppc {

/// As an image has it.
struct StoredCall {
  std::string name;
  std::uint64_t arguments;  ///< number of the heap block that holds a copy of them; 0: none

  bool operator==(const StoredCall&) const = default;
};

class RequiredCalls {
 public:
  /// As cppc_execute(). A call of this inside of a call of this is only made.
  void execute(const cppc_required& required, void* arguments);

  [[nodiscard]] std::vector<StoredCall> stored() const;

  /// In a replacement: `objects` are those of the image, the heap in memory. CPPC_ERR_MISMATCH, logged by name, for a
  /// call that this program does not have or that takes other arguments.
  cppc_status restore(std::span<const StoredCall> calls, std::span<const Object> objects);

  /// Makes all of them again.
  void repeat();

 private:
  struct Call {
    const cppc_required* required;
    std::byte* arguments;  ///< a block of the tracked heap
    std::uint64_t number;  ///< of that block
  };
  std::vector<Call> calls_;
  bool running_ = false;
};

RequiredCalls& required_calls();

}  // namespace cppc
