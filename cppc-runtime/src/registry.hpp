/// What the program has declared, and the frames that are open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "cppc/cppc.h"

namespace cppc {

/// A variable of the program, in memory.
struct Variable {
  const char* name;
  void* address;
  const cppc_type* type;
  std::size_t count;
};

struct Registry {
  std::vector<Variable> globals;
  std::vector<cppc_function> functions;
  std::deque<cppc_required> requireds;  ///< stay where they are
  std::vector<const cppc_type*> types;  ///< that blocks of the heap may have
  std::vector<Variable> constants;      ///< not saved; pointers may lead to them
  cppc_frame* innermost = nullptr;

  /// Open frames, outermost first.
  [[nodiscard]] std::vector<const cppc_frame*> frames() const;

  /// Bytes of globals, shadows and local variables; of a frame that has not come to a place yet, none.
  [[nodiscard]] std::uint64_t bytes() const;
};

/// The record of place number `place` of the frame's function; null: it has no such place.
const cppc_place* find_place(const cppc_frame& frame, int place);

/// The variables of a place where the frame's shadow says that they are.
std::vector<Variable> variables_at(const cppc_frame& frame, const cppc_place& place);

Registry& registry();

}  // namespace cppc
