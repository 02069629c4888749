/// The runtime between the program's safe points and the extension's hooks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "address/capture.hpp"
#include "address/child_search.hpp"
#include "address/dead_claims.hpp"
#include "address/restore.hpp"
#include "capture.hpp"
#include "cppc/hooks.h"
#include "dead_memory.hpp"
#include "restore.hpp"

namespace cppc {

class Session {
 public:
  /// Hooks act from now on. Ends a replacement that has entered a frame before.
  void attach(const cppc_hooks& hooks, bool replacement);

  /// In MPI_Finalize: whether the other ranks have come there, too, as far as the extension wants to know.
  [[nodiscard]] bool all_finalize() const;

  /// Before MPI finalizes: hooks act no more.
  void detach();

  /// The functions of cppc/cppc.h.
  int enter(cppc_frame& frame);
  void resumed(cppc_frame& frame);
  int rung(unsigned site);
  void mark_dead(const void* address);
  void mark_dead(std::span<const std::byte> memory, std::span<const void* const> others,
                 std::optional<const void*> within);
  void claim_object(std::span<const std::byte> object);
  void begin_dead_way();
  void end_dead_ways();
  void stop(cppc_frame& frame, int place, const void* stack);  ///< `stack`: where the program's own ends

  /// When the state is kept by address. stop_here(): cppc_stop_here(). take_over(): in place of main(), in a
  /// replacement that has initialized MPI: what main() returns in the end.
  void stop_here();
  int take_over();

  /// Whether this is a replacement on the way to its safe point.
  [[nodiscard]] bool restarting() const { return restarting_; }

  /// The functions of cppc_runtime.
  void watch(const volatile std::uint32_t* word);
  [[nodiscard]] std::uint64_t state_bytes() const;
  [[nodiscard]] std::uint64_t image_memory() const;
  cppc_status capture(cppc_status (*visit)(const cppc_block* block, void* context), void* context);
  cppc_status capture_begin(cppc_status (*visit)(const cppc_block* block, void* context), void* context);
  void capture_search();
  cppc_status capture_end(cppc_status (*visit)(const cppc_block* block, void* context), void* context);
  cppc_status restore_begin(std::span<const std::byte> runtime_block, const KeepAlive& keep_alive);
  cppc_status restore_place(cppc_section section, const char* name, std::uint64_t bytes, void** place);
  cppc_status restore_end();

 private:
  enum class Phase { working, stopped, fetching };

  void stopped(std::byte* stack_end);
  cppc_status capture_by_address(cppc_status (*visit)(const cppc_block* block, void* context), void* context);
  [[nodiscard]] std::byte* stack_end() const { return static_cast<std::byte*>(const_cast<void*>(stack_)); }
  void fetch();
  void resume(cppc_frame& frame, bool innermost);
  void enter_world(cppc_frame& frame, int place);

  std::optional<cppc_hooks> hooks_;
  bool restarting_ = false;
  Phase phase_ = Phase::working;
  unsigned site_ = 0;
  const volatile std::uint32_t* watched_ = nullptr;
  DeadMemory dead_;
  address::DeadClaims claims_;  ///< in place of dead_, when the state is kept by address
  const void* stack_ = nullptr;
  std::optional<Capture> capture_;
  std::optional<Restore> restore_;
  std::optional<address::Capture> address_capture_;
  std::optional<address::ChildSearch> child_search_;  ///< from capture_begin() to capture_end()
  std::optional<address::Restore> address_restore_;
};

Session& session();

/// What the runtime offers to an extension.
const cppc_runtime& runtime_interface();

}  // namespace cppc
