#include <algorithm>
#include <set>
#include <utility>

#include "effects.hpp"

namespace cppc::analysis {

using ir::Op;

void Effects::summarise_kills(ir::Index index) {
  const ir::Function& function = program_.functions[index];
  if (!function.defined || !function.opaque.empty()) return;
  std::vector<std::optional<Objects>> before(function.blocks.size());  // none: not reached yet
  std::vector<Objects> kills(function.blocks.size());
  std::vector<bool> ends(function.blocks.size());
  for (std::size_t b = 0; b < function.blocks.size(); ++b)
    for (const auto& instruction : function.blocks[b].instructions) {
      if (instruction.op != Op::write && instruction.op != Op::call) continue;
      if (instruction.op == Op::call && reached_[instruction.index].several != ir::none)
        find_kills(several_[reached_[instruction.index].several]);
      const Effect effect = of(index, instruction);
      kills[b] |= effect.kills;
      ends[b] = ends[b] || effect.ends;
    }
  before[ir::entry_block].emplace();
  std::vector<ir::Index> work{ir::entry_block};
  while (!work.empty()) {
    const ir::Index b = work.back();
    work.pop_back();
    if (ends[b]) continue;
    Objects killed = *before[b];
    killed |= kills[b];
    for (const ir::Index next : function.blocks[b].successors) {
      const bool fewer = !before[next] || (*before[next] &= killed);
      if (!before[next]) before[next] = killed;
      if (fewer) work.push_back(next);
    }
  }
  functions_[index].ends = !before[ir::exit_block].has_value();
  if (before[ir::exit_block]) functions_[index].kills = outliving(index, *before[ir::exit_block]);
  for (const ir::Index several : several_of_[index]) several_[several].due = true;
}

bool Effects::summarise_changes(ir::Index index) {
  const ir::Function& function = program_.functions[index];
  if (!function.defined || !function.opaque.empty()) return false;
  Effect& own = functions_[index];
  Effect all;
  all.outside = own.outside;
  all.may_end = own.may_end;
  const auto calls_defined = [this](const ir::Call& call) {
    return call.callee != ir::none && program_.functions[call.callee].defined;
  };
  const auto add = [&](const Effect& one) {
    all.changes |= one.changes;
    all.parts |= one.parts;
    all.outside |= one.outside;
    all.may_end |= one.may_end || one.ends;
  };
  std::set<std::pair<const Objects*, ir::Index>> stores;
  std::set<ir::Index> called;
  for (const auto& block : function.blocks)
    for (const auto& instruction : block.instructions) {
      if (instruction.op == Op::read || instruction.op == Op::load) continue;
      if (instruction.op == Op::store && !stores.insert({&points_to_[instruction.a], instruction.member}).second)
        continue;  // many pointers have one set, the one that code outside the program has
      const bool direct = instruction.op == Op::call && calls_defined(program_.calls[instruction.index]) &&
                          points_to_.callbacks(instruction.index).empty();
      if (!direct)
        add(of(index, instruction));
      else if (const ir::Index callee = program_.calls[instruction.index].callee; called.insert(callee).second)
        add(functions_[callee]);
    }
  bool grew =
      (own.changes |= outliving(index, all.changes)) || all.outside != own.outside || all.may_end != own.may_end;
  grew |= own.parts |= all.parts;  // those of own locals, which nobody else asks for, do no harm
  own.outside = all.outside;
  own.may_end = all.may_end;
  return grew;
}

bool Effects::summarise_reads(ir::Index index) {
  const ir::Function& function = program_.functions[index];
  if (!function.defined || !function.opaque.empty()) return false;
  const auto at_blocks = live_at_blocks(program_, *this, index, {});
  return functions_[index].reads |= outliving(index, at_blocks[ir::entry_block]);
}

Objects live_after(const ir::Function& function, const std::vector<Objects>& at_blocks, ir::Index block,
                   const Objects& live_at_exit) {
  if (block == ir::exit_block) return live_at_exit;
  Objects live;
  for (const ir::Index next : function.blocks[block].successors) live |= at_blocks[next];
  return live;
}

std::vector<Objects> live_at_blocks(const ir::Program& program, const Effects& effects, ir::Index index,
                                    const Objects& live_at_exit) {
  const ir::Function& function = program.functions[index];
  const std::size_t count = function.blocks.size();
  std::vector<Objects> live(count);
  std::vector<LiveEffect> blocks(count);  // each as one step
  for (std::size_t b = 0; b < count; ++b)
    for (std::size_t i = function.blocks[b].instructions.size(); i-- > 0;)
      effects.before(index, function.blocks[b].instructions[i], blocks[b]);
  std::vector<std::vector<std::size_t>> before(count);
  for (std::size_t b = 0; b < count; ++b)
    for (const ir::Index next : function.blocks[b].successors) before[next].push_back(b);
  std::vector<bool> due(count, true);
  for (bool changed = true; std::exchange(changed, false);)
    for (std::size_t b = count; b-- > 0;) {
      if (!due[b]) continue;
      due[b] = false;
      Objects in = blocks[b].ends ? Objects() : live_after(function, live, static_cast<ir::Index>(b), live_at_exit);
      in.intersectWithComplement(blocks[b].kills);
      in |= blocks[b].reads;
      if (!(live[b] |= in)) continue;
      changed = true;
      for (const std::size_t one : before[b]) due[one] = true;
    }
  return live;
}

}  // namespace cppc::analysis
