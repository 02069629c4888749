#include "liveness.hpp"

namespace cppc::analysis {

using ir::Index;
using ir::Op;

/// Until nothing changes: what is live after a function is what is live after any call of it.
Liveness::Liveness(const ir::Program& program, const PointsTo& points_to, const Effects& effects,
                   const std::vector<Index>& functions, const std::vector<Index>& calls, const std::set<Index>& open)
    : program_(program), effects_(effects) {
  for (const Index function : functions) exits_[function] = open.contains(function) ? all_memory(program_) : Objects();
  for (bool changed = true; changed;) {
    changed = false;
    for (const Index function : functions)
      at_blocks_[function] = live_at_blocks(program_, effects_, function, exits_[function]);
    for (const Index call : calls) {
      const Objects behind = memory(after_call(program_.calls[call].caller, call));
      for (const Index callee : points_to.callees(call))
        if (exits_.contains(callee)) changed |= exits_[callee] |= behind;
    }
  }
}

Objects Liveness::memory(const Objects& objects) const {
  Objects kept;
  for (const unsigned object : objects) {
    const ir::Object& o = program_.objects[object];
    if (o.storage == ir::Storage::local && !o.address_taken) continue;
    kept.set(object);
  }
  return kept;
}

Objects Liveness::at_marker(Index f, Index marker) const {
  const ir::Function& function = program_.functions[f];
  if (!function.opaque.empty()) return all_memory(program_);
  Objects found = effects_.by_others().reads;
  for (Index b = 0; b < function.blocks.size(); ++b) {
    const Objects after = live_after(function, at_blocks_.at(f), b, exits_.at(f));
    backwards(program_, effects_, f, function.blocks[b], after,
              [&](std::size_t i, const Objects& live, const Objects&) {
                const auto& instruction = function.blocks[b].instructions[i];
                if (instruction.op == Op::marker && instruction.index == marker) found |= live;
              });
  }
  return found;
}

Objects Liveness::after_call(Index f, Index call) const {
  const ir::Function& function = program_.functions[f];
  if (!function.opaque.empty()) return all_memory(program_);
  Objects found;
  for (Index b = 0; b < function.blocks.size(); ++b) {
    const Objects after = live_after(function, at_blocks_.at(f), b, exits_.at(f));
    backwards(program_, effects_, f, function.blocks[b], after,
              [&](std::size_t i, const Objects&, const Objects& behind) {
                const auto& instruction = function.blocks[b].instructions[i];
                if (instruction.op == Op::call && instruction.index == call) found |= behind;
              });
  }
  return found;
}

}  // namespace cppc::analysis
