#include <deque>
#include <set>

#include "plan.hpp"

namespace cppc::analysis {

namespace {

ir::Position position_of(const ir::Program& program, const ir::Instruction& instruction) {
  if (instruction.op == ir::Op::call) return program.calls[instruction.index].where;
  const bool read = instruction.op == ir::Op::read || instruction.op == ir::Op::load;
  return read && instruction.index != ir::none ? program.positions[instruction.index] : ir::Position{};
}

}  // namespace

/// Goes forward from the marker, nearest blocks first.
Reasons reasons(const ir::Program& program, const Effects& effects, ir::Index marker, const Objects& objects) {
  const ir::Index f = program.markers[marker].function;
  const ir::Function& function = program.functions[f];
  Reasons found;
  std::deque<std::pair<ir::Index, std::size_t>> work;
  std::set<ir::Index> seen;
  for (ir::Index b = 0; b < function.blocks.size(); ++b)
    for (std::size_t i = 0; i < function.blocks[b].instructions.size(); ++i) {
      const auto& instruction = function.blocks[b].instructions[i];
      if (instruction.op == ir::Op::marker && instruction.index == marker) work.emplace_back(b, i + 1);
    }
  Objects left = objects;
  while (!work.empty() && !left.empty()) {
    const auto [b, first] = work.front();
    work.pop_front();
    for (std::size_t i = first; i < function.blocks[b].instructions.size(); ++i) {
      Objects read = effects.of(f, function.blocks[b].instructions[i]).reads;
      read &= left;
      for (const unsigned object : read)
        found.emplace(object, position_of(program, function.blocks[b].instructions[i]));
      left.intersectWithComplement(read);
    }
    for (const ir::Index next : function.blocks[b].successors)
      if (seen.insert(next).second) work.emplace_back(next, 0);
  }
  return found;
}

}  // namespace cppc::analysis
