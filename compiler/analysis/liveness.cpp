#include "liveness.hpp"

#include <algorithm>
#include <utility>

namespace cppc::analysis {

using ir::Index;
using ir::Op;

namespace {

/// Goes backwards through those blocks of a function that have what is asked for; `visit` as in backwards().
template <typename Wanted, typename Visit>
void through_blocks(const ir::Program& program, const Effects& effects, Index f, const std::vector<Objects>& at_blocks,
                    const Objects& at_exit, Wanted wanted, Visit visit) {
  const ir::Function& function = program.functions[f];
  for (Index b = 0; b < function.blocks.size(); ++b) {
    const ir::Block& block = function.blocks[b];
    if (std::ranges::none_of(block.instructions, wanted)) continue;
    backwards(program, effects, f, block, live_after(function, at_blocks, b, at_exit),
              [&](std::size_t i, const Objects& live, const Objects& behind) {
                if (wanted(block.instructions[i])) visit(block.instructions[i], live, behind);
              });
  }
}

/// Each function after those that call it, as far as they do not call each other.
std::vector<Index> callers_first(const ir::Program& program, const PointsTo& points_to,
                                 const std::vector<Index>& functions, const std::vector<Index>& calls) {
  std::map<Index, std::vector<Index>> callees;
  for (const Index call : calls) {
    auto& known = callees[program.calls[call].caller];
    known.insert(known.end(), points_to.callees(call).begin(), points_to.callees(call).end());
  }
  std::vector<Index> order;
  std::set<Index> wanted(functions.begin(), functions.end());
  std::vector<std::pair<Index, std::size_t>> path;  // and which of the callees comes next
  for (const Index start : functions) {
    if (wanted.erase(start) != 0) path.emplace_back(start, 0);
    while (!path.empty()) {
      const auto [f, next] = path.back();
      if (next == callees[f].size()) {
        order.push_back(f);
        path.pop_back();
        continue;
      }
      ++path.back().second;
      if (const Index callee = callees[f][next]; wanted.erase(callee) != 0) path.emplace_back(callee, 0);
    }
  }
  std::ranges::reverse(order);
  return order;
}

}  // namespace

/// Until nothing changes: what is live after a function is what is live after any call of it.
Liveness::Liveness(const ir::Program& program, const PointsTo& points_to, const Effects& effects,
                   const std::vector<Index>& functions, const std::vector<Index>& calls, const std::set<Index>& open)
    : program_(program), effects_(effects) {
  for (Index object = 0; object < program.objects.size(); ++object)
    if (const ir::Object& o = program.objects[object]; o.storage == ir::Storage::local && !o.address_taken)
      private_.set(object);
  const Objects all = all_memory(program_);
  for (const Index function : functions) exits_[function] = open.contains(function) ? all : Objects();
  std::vector<bool> on_path(program.calls.size());
  for (const Index call : calls) on_path[call] = true;
  const auto is_on_path = [&](const ir::Instruction& i) { return i.op == Op::call && on_path[i.index]; };
  std::map<Index, std::size_t> place;
  for (const Index f : callers_first(program, points_to, functions, calls)) place.emplace(f, place.size());
  std::map<std::size_t, Index> due;
  for (const auto& [f, at] : place) due.emplace(at, f);
  const auto hand_down = [&](Index call, const Objects& behind) {
    for (const Index callee : points_to.callees(call)) {
      const auto exit = exits_.find(callee);
      if (exit == exits_.end()) continue;
      const bool grew = exit->second |= behind;
      if (grew) due.emplace(place.at(callee), callee);
    }
  };
  while (!due.empty()) {
    const Index f = due.begin()->second;
    due.erase(due.begin());
    if (!program_.functions[f].opaque.empty()) {
      for (const Index call : calls)
        if (program_.calls[call].caller == f) hand_down(call, all);
      continue;
    }
    const Objects at_exit = exits_[f];
    through_blocks(program_, effects_, f, live_at_blocks(program_, effects_, f, at_exit), at_exit, is_on_path,
                   [&](const ir::Instruction& instruction, const Objects&, const Objects& behind) {
                     hand_down(instruction.index, memory(behind));
                   });
  }
}

/// Those of the last function that was asked for: of a whole program they are too much to keep.
const std::vector<Objects>& Liveness::at_blocks(Index f) const {
  if (known_ != f) at_blocks_ = live_at_blocks(program_, effects_, f, exits_.at(f));
  known_ = f;
  return at_blocks_;
}

Objects Liveness::memory(const Objects& objects) const {
  Objects kept = objects;
  kept.intersectWithComplement(private_);
  return kept;
}

Objects Liveness::at_marker(Index f, Index marker) const {
  if (!program_.functions[f].opaque.empty()) return all_memory(program_);
  Objects found = effects_.by_others().reads;
  through_blocks(
      program_, effects_, f, at_blocks(f), exits_.at(f),
      [marker](const ir::Instruction& i) { return i.op == Op::marker && i.index == marker; },
      [&](const ir::Instruction&, const Objects& live, const Objects&) { found |= live; });
  return found;
}

Objects Liveness::after_call(Index f, Index call) const {
  if (!program_.functions[f].opaque.empty()) return all_memory(program_);
  Objects found;
  through_blocks(
      program_, effects_, f, at_blocks(f), exits_.at(f),
      [call](const ir::Instruction& i) { return i.op == Op::call && i.index == call; },
      [&](const ir::Instruction&, const Objects&, const Objects& behind) { found |= behind; });
  return found;
}

}  // namespace cppc::analysis
