/// Blocks that are freed: what is in them need not be saved either. The pointer to one may be a member of a structure;
/// then it may be freed in another function than the one that fills it.
#include <algorithm>

#include "overwrites.hpp"

namespace cppc::analysis {

using ir::Index;
using ir::Op;

Overwrites::Overwrites(const ir::Program& program, const models::Models& models, const PointsTo& points_to,
                       const Effects& effects)
    : program_(program),
      models_(models),
      points_to_(points_to),
      effects_(effects),
      roots_(program, points_to, effects) {
  for (Index c = 0; c < program_.calls.size(); ++c) find_freed(c);
}

/// Whether, where it does not come to the overwrite, the pointer to the memory leads to blocks of the heap at worst: to
/// another one when it is left behind.
bool Overwrites::leads_to_blocks(const Fact& fact) const {
  if (fact.speculates || fact.root == ir::nothing) return false;
  const ir::Object& o = program_.objects[fact.root];
  if (o.storage != ir::Storage::global && !roots_.fixed_parameter(o.function, fact.root)) return false;  // not set yet?
  for (const unsigned object : fact.target) {
    const ir::Storage storage = program_.objects[object].storage;
    if (storage != ir::Storage::heap && storage != ir::Storage::global) return false;
  }
  return true;
}

bool Overwrites::reads_blocks(const Effect& effect) const {
  for (const unsigned object : effect.reads) {
    const ir::Storage storage = program_.objects[object].storage;
    if (storage == ir::Storage::heap || storage == ir::Storage::unknown) return true;
  }
  return false;
}

void Overwrites::find_freed(Index index) {
  const ir::Call& call = program_.calls[index];
  if (call.caller == ir::none || call.callee == ir::none || program_.functions[call.callee].defined) return;
  const models::Model* model = models_.find(call.name);
  if (model == nullptr || model->heap != models::Heap::frees) return;
  const auto argument = static_cast<std::size_t>(model->heap_argument);
  if (argument >= call.arguments.size() || !roots_.certain(call.arguments[argument])) return;
  const ir::Node pointer = call.arguments[argument];
  const Freed freed{.root = roots_.of(pointer),
                    .member = roots_.member(pointer),
                    .parameters_member = roots_.parameters_member(call.caller, pointer)};
  freed_.emplace(index, freed);
  for (const auto& one : {freed.member, freed.parameters_member}) {
    std::vector<Index> work;
    if (one) work.push_back(call.caller);
    while (!work.empty()) {
      const Index f = work.back();
      work.pop_back();
      if (!may_free_[one->member].insert(f).second) continue;
      for (const Index c : roots_.known_callers(f))
        if (program_.calls[c].caller != ir::none) work.push_back(program_.calls[c].caller);
    }
  }
}

/// Whether an instruction frees in any case the block that leads to what a fact is about, and nobody reads that in it.
bool Overwrites::frees(const ir::Instruction& instruction, const Effect& effect, const Fact& fact) {
  if (instruction.op != Op::call || fact.speculates) return false;
  if (const auto found = freed_.find(instruction.index); found != freed_.end()) {
    const auto& [root, member, by_parameter] = found->second;
    if (!fact.member) return root != ir::nothing && root == fact.root;
    if (member && member->object == fact.member->object && member->member == fact.member->member) return true;
    return by_parameter && by_parameter->member == fact.member->member && fact.parameters.test(by_parameter->object);
  }
  const auto& callees = points_to_.callees(instruction.index);
  return fact.member && !callees.empty() && !fact.target.intersects(effect.reads) &&
         std::ranges::all_of(
             callees, [&](Index callee) { return always_frees(callee, program_.calls[instruction.index], fact); });
}

/// Whether a call of a function frees what the member leads to in any case.
bool Overwrites::always_frees(Index f, const ir::Call& call, const Fact& asked) {
  const auto functions = may_free_.find(asked.member->member);
  if (functions == may_free_.end() || !functions->second.contains(f) || !program_.functions[f].opaque.empty())
    return false;
  Fact fact{.ahead = {.overwrite = ir::none, .calls = {}, .apart = {}}, .target = {}, .parts = {}, .depends = {}};
  fact.member = asked.member;
  depend_on(*fact.member, fact);
  Question question{f, fact.member->object, fact.member->member, {}};
  const auto& parameters = program_.functions[f].parameters;
  for (std::size_t i = 0; i < parameters.size() && i < call.arguments.size(); ++i) {
    const ir::Node root = roots_.of(call.arguments[i]);
    const bool leads_there = roots_.address_in(call.arguments[i]) == fact.member->object ||
                             (root != ir::nothing && asked.parameters.test(root));
    if (!leads_there || !roots_.fixed_parameter(f, parameters[i])) continue;
    fact.parameters.set(parameters[i]);
    question.parameters.push_back(parameters[i]);
  }
  const auto [known, fresh] = always_frees_.try_emplace(std::move(question), false);  // itself may not count on it
  if (!fresh) return known->second;
  const Held start = solve(f, {.all = {fact}, .by_overwrite = {}, .by_call = {}}, {.holds = false})[ir::entry_block];
  return known->second = start.now[0].holds;
}

/// Whether whatever comes after a function frees the block that leads to what a fact is about, and nobody reads that
/// before.
bool Overwrites::freed_after(Index f, const Fact& fact, std::map<Index, bool>& asked) {
  if (!fact.member || fact.speculates || !may_free_.contains(fact.member->member)) return false;
  const auto* callers = roots_.callers(f);
  if (callers == nullptr || program_.objects[fact.member->object].function == f) return false;
  const auto [known, fresh] = asked.try_emplace(f, false);  // while it is asked: a call in circles
  if (!fresh) return known->second;
  const bool always = std::ranges::all_of(*callers, [&](Index call) {
    const Index caller = program_.calls[call].caller;
    if (caller == ir::none || !program_.functions[caller].opaque.empty()) return false;
    const AtExit exit{.holds = false, .live = nullptr, .freed = {freed_after(caller, fact, asked)}};
    bool holds = false;
    solve(caller, {.all = {fact}, .by_overwrite = {}, .by_call = {}}, exit,
          [&](const ir::Instruction& instruction, const Held& after) {
            if (instruction.op == Op::call && instruction.index == call) holds = after.now[0].holds;
          });
    return holds;
  });
  return known->second = always && !callers->empty();
}

}  // namespace cppc::analysis
