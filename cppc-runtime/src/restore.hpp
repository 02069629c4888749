/// A replacement takes over the state of an image: first all that is in memory already (globals, the heap), then, as
/// the program enters its functions again, one frame after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <unordered_map>
#include <vector>

#include "cppc/hooks.h"
#include "keep_alive.hpp"
#include "memory_map.hpp"
#include "references.hpp"
#include "registry.hpp"
#include "runtime_block.hpp"
#include "translation.hpp"

namespace cppc {

class Restore {
 public:
  /// As cppc_runtime::restore_begin, restore_place and restore_end. `convert` may be null. Errors are logged by name.
  cppc_status begin(std::span<const std::byte> runtime_block, const KeepAlive& keep_alive, Convert convert);
  cppc_status place(cppc_section section, std::string_view name, std::uint64_t bytes, void** place);
  cppc_status end();

  /// Whether end() has succeeded.
  [[nodiscard]] bool complete() const { return complete_; }

  /// The program has entered `frame`: gives the place to go on at, with the shadow as far as it can be.
  tl::expected<int, cppc_status> enter(const cppc_frame& frame);

  /// The program is at that place, and the shadow holds the addresses of its variables: puts variables and shadow into
  /// place. `innermost`: at the safe point; then everything is restored.
  cppc_status resume(const cppc_frame& frame, bool innermost);

  [[nodiscard]] const RuntimeBlock& block() const { return block_; }

 private:
  /// What an object's contents are received into.
  struct Landing {
    std::unique_ptr<std::byte[]> copy;  ///< null: in its final place
    bool placed = false;
  };

  [[nodiscard]] const std::vector<Frame>& frames() const { return block_.inventory.frames; }
  std::vector<Object>& objects() { return block_.inventory.objects; }
  [[nodiscard]] std::size_t first_variable(const Frame& frame) const;

  cppc_status check_sizes();
  cppc_status find_outside();
  cppc_status find_globals();
  cppc_status match(Object& object, const Variable& variable) const;
  cppc_status find_type(Object& object);
  void find_functions();
  cppc_status allocate_heap(const KeepAlive& keep_alive);
  void make_landings(const KeepAlive& keep_alive);
  [[nodiscard]] std::optional<std::size_t> number_of(cppc_section section, std::string_view name);
  cppc_status settle(std::size_t number);
  cppc_status set_shadow(const Object& shadow, const std::byte* stored);
  cppc_status match_variables(const Frame& frame, std::span<Object> objects, std::span<const Variable> variables) const;
  cppc_status make_real(const Object& object, const std::byte* stored, std::byte* contents,
                        std::vector<LateReference>& late);
  [[nodiscard]] ReferenceDecoder decoder() { return {objects(), functions_, outside_}; }

  RuntimeBlock block_;
  Translation translation_;
  MemoryMap memory_;
  std::vector<void (*)()> functions_;
  OutsideDecoder outside_;
  std::vector<Landing> landings_;  ///< by object
  std::vector<LateReference> late_;
  std::size_t next_ = 0;                                   ///< object that place() is likely to be asked for
  std::unordered_map<std::string, std::size_t> by_label_;  ///< once it is asked for another one
  bool complete_ = false;
  const cppc_frame* entered_ = nullptr;  ///< the last one
  std::size_t resumed_ = 0;              ///< frames; the one after them may be entered
};

}  // namespace cppc
