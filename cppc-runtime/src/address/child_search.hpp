/// The search of a state for what leads out of it (Capture::search), by a child process that has the state as it was
/// when it was described: meanwhile the program goes on.
#pragma once

#include <memory>
#include <tl/expected.hpp>

#include "address/capture.hpp"
#include "address/child_memory.hpp"

namespace cppc::address {

class ChildSearch {
 public:
  /// While the program stands still. CPPC_ERR_MEMORY, not logged.
  static tl::expected<ChildSearch, cppc_status> prepare(Capture capture);

  /// Everything but the runtime's own block.
  [[nodiscard]] const Capture& capture() const { return capture_; }

  /// In the child, or, if there is none, in the process itself before the program goes on. Once. In a child: calls of
  /// the system and memory of its own only.
  void search() noexcept;

  /// In the process itself, when search() is over: visits the runtime's own block. CPPC_ERR_UNSUPPORTED, logged by
  /// name: something cannot be carried over. CPPC_ERR_SYSTEM, logged: it has not been searched to its end.
  cppc_status visit_result(cppc_status (*visit)(const cppc_block* block, void* context), void* context) const;

 private:
  struct Result;

  ChildSearch(Capture capture, ChildMemory memory, pid_t process);

  Capture capture_;
  ChildMemory memory_;
  Result* result_;  ///< at the begin of memory_
  pid_t process_;
};

}  // namespace cppc::address
