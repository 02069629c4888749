#include "overwrites.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

namespace cppc::analysis {

using ir::Index;
using ir::Op;

namespace {

/// Calls through which an overwrite is followed, and facts that are kept of one function.
constexpr std::size_t kDepth = 3, kMost = 256;

}  // namespace

void Overwrites::depend_on(ir::Part part, Fact& fact) const {
  const ir::Node node = points_to_.part(part);
  if (node == part.object) return fact.depends.set(part.object);
  fact.parts.set(node);
  fact.parts.set(part.object);
}

/// Whether what is overwritten may lie elsewhere after it.
bool Overwrites::moves(const Fact& fact, const Effect& effect) {
  return fact.depends.intersects(effect.changes) || fact.parts.intersects(effect.parts);
}

Overwrites::Fact Overwrites::made_by(Index index, const ir::Target& target) const {
  const auto steady = [this](const ir::Part& load) { return roots_.leads_to_variable(load.object); };
  Fact fact{.ahead = {.overwrite = index, .calls = {}, .apart = {}},
            .target = {},
            .parts = {},
            .depends = {},
            .speculates = target.divides || !std::ranges::all_of(target.loads, steady),
            .named = target.object};
  if (target.object != ir::nothing) fact.target.set(target.object);
  if (target.pointer != ir::nothing) {
    fact.target |= points_to_[target.pointer];
    fact.root = roots_.of(target.pointer);
    fact.member = roots_.member(target.pointer);
    fact.named = roots_.named(target.pointer);
  }
  if (fact.member) depend_on(*fact.member, fact);
  for (const ir::Part& read : target.reads) depend_on(read, fact);
  for (const auto& [pointer, member] : target.loads)
    for (const unsigned object : points_to_[pointer]) depend_on({object, member}, fact);
  return fact;
}

/// A callee's fact as its caller sees it, unless it lies where only the callee can say.
std::optional<Overwrites::Fact> Overwrites::through(Index index, const Fact& below) const {
  const ir::Call& call = program_.calls[index];
  const ir::Function& callee = program_.functions[call.callee];
  Fact fact = below;
  const auto only_there = [&](unsigned object) {
    return object < program_.objects.size() && program_.objects[object].storage == ir::Storage::local &&
           program_.objects[object].function == call.callee;
  };
  for (const unsigned part : below.parts)
    if (only_there(part)) return {};
  fact.depends.clear();
  for (const unsigned object : below.depends) {
    const auto parameter = std::ranges::find(callee.parameters, object);
    if (parameter == callee.parameters.end()) {
      if (only_there(object)) return {};
      fact.depends.set(object);
      continue;
    }
    const auto i = static_cast<std::size_t>(parameter - callee.parameters.begin());
    if (i >= call.plain.size() || !call.plain[i]) return {};
    for (const ir::Node read : call.argument_reads[i]) fact.depends.set(read);
  }
  const auto as_seen_here = [&](ir::Node variable) {
    const auto parameter = roots_.fixed_parameter(call.callee, variable);
    if (parameter) return *parameter < call.arguments.size() ? roots_.of(call.arguments[*parameter]) : ir::nothing;
    return program_.objects[variable].storage == ir::Storage::global ? variable : ir::nothing;
  };
  fact.root = below.root == ir::nothing ? ir::nothing : as_seen_here(below.root);
  fact.ahead.apart.clear();
  for (const unsigned variable : below.ahead.apart) {
    const ir::Node here = as_seen_here(variable);
    if (here == ir::nothing) return {};
    fact.ahead.apart.set(here);
  }
  fact.ahead.calls.insert(fact.ahead.calls.begin(), index);
  return fact;
}

Overwrites::Facts Overwrites::facts_of(Index f, std::size_t depth, bool from_outside) {
  Facts facts;
  if (!program_.functions[f].opaque.empty()) return facts;
  for (const auto& block : program_.functions[f].blocks)
    for (const auto& instruction : block.instructions) {
      if (facts.all.size() >= kMost) return facts;
      if (instruction.op == Op::overwrite) {
        const ir::Overwrite& overwrite = program_.overwrites[instruction.index];
        if (overwrite.call != ir::none && !effects_.fills(program_.calls[overwrite.call])) continue;
        if (from_outside && !overwrite.at_entry) continue;
        facts.by_overwrite[instruction.index].push_back(facts.all.size());
        facts.all.push_back(made_by(instruction.index, from_outside ? *overwrite.at_entry : overwrite.target));
      }
      if (instruction.op != Op::call || depth == 0) continue;
      const Index callee = program_.calls[instruction.index].callee;
      if (callee == ir::none || !program_.functions[callee].defined) continue;
      for (const Fact& below : at_entry(callee, depth - 1)) {
        auto fact = through(instruction.index, below);
        if (!fact || facts.all.size() >= kMost) continue;
        facts.by_call[instruction.index].push_back(facts.all.size());
        facts.all.push_back(std::move(*fact));
      }
    }
  return facts;
}

const std::vector<Overwrites::Fact>& Overwrites::at_entry(Index f, std::size_t depth) {
  const auto key = std::pair{f, depth};
  if (const auto found = entries_.find(key); found != entries_.end()) return found->second;
  const Facts facts = facts_of(f, depth, true);
  std::vector<Fact> holding;
  if (!facts.all.empty()) {
    const Held certain = solve(f, facts, {.holds = false})[ir::entry_block];
    const Held perhaps = solve(f, facts, {.holds = true})[ir::entry_block];
    for (std::size_t i = 0; i < facts.all.size(); ++i) {
      // Where it may not come to the overwrite, pointers on the way may lead nowhere.
      if (!perhaps.now[i].holds || (facts.all[i].speculates && !certain.now[i].holds)) continue;
      const Claim& claim = (certain.now[i].holds ? certain : perhaps).now[i];
      holding.push_back(facts.all[i]);
      holding.back().certain = certain.now[i].holds;
      holding.back().ahead.apart = claim.apart;
      holding.back().elsewhere = claim.elsewhere;
      holding.back().left = claim.left;
    }
  }
  return entries_[key] = std::move(holding);
}

void Overwrites::step_back(Index f, const ir::Instruction& instruction, const Facts& facts, Held& held) {
  if (instruction.op == Op::overwrite || instruction.op == Op::overwrite_begin) {
    const auto found = facts.by_overwrite.find(instruction.index);
    if (found == facts.by_overwrite.end()) return;
    for (const std::size_t i : found->second) {
      // Inside the nest, part of the memory has been written already, and may be read after it.
      if (instruction.op == Op::overwrite_begin && held.from_start[i].holds) held.now[i] = held.from_start[i];
      held.from_start[i] = {.holds = instruction.op == Op::overwrite, .apart = {}};
    }
    return;
  }
  const Effect effect = effects_.of(f, instruction);
  const auto brought = instruction.op == Op::call ? facts.by_call.find(instruction.index) : facts.by_call.end();
  std::map<std::size_t, Claim> by_callee;
  if (brought != facts.by_call.end())
    for (const std::size_t i : brought->second) see_callee(facts.all[i], effect, held.now[i], by_callee[i]);
  for (std::size_t i = 0; i < facts.all.size(); ++i) {
    if (effect.ends) held.now[i] = {.holds = true, .apart = {}};
    if (effect.may_end) {  // then it does not come to the overwrite
      const bool missed = may_miss(facts.all[i], {});
      held.now[i].holds = held.now[i].holds && (missed || leads_to_blocks(facts.all[i]));
      held.now[i].elsewhere = true;
      held.now[i].left |= !missed;
    }
    see_effect(f, instruction, facts.all[i], effect, held.now[i]);
    see_effect(f, instruction, facts.all[i], effect, held.from_start[i]);
    if (frees(instruction, effect, facts.all[i])) held.now[i] = {.holds = true, .apart = {}, .elsewhere = true};
  }
  for (auto& [i, claim] : by_callee) held.now[i] = std::move(claim);
}

/// What a callee's own fact makes of what holds after the call.
void Overwrites::see_callee(const Fact& fact, const Effect& effect, const Claim& after, Claim& claim) const {
  claim = {.holds = true, .apart = fact.ahead.apart, .elsewhere = fact.elsewhere, .left = fact.left};
  if (fact.certain) return;
  claim.holds = after.holds && !moves(fact, effect) && !after.apart.intersects(effect.changes);
  claim.apart |= after.apart;
  claim.elsewhere |= after.elsewhere;
  claim.left |= after.left;
  if (!claim.holds) claim.apart.clear();
}

/// A read of memory of the same kind does no harm where it goes to another block.
void Overwrites::see_effect(Index f, const ir::Instruction& instruction, const Fact& fact, const Effect& effect,
                            Claim& claim) const {
  if (!claim.holds) return;
  if (fact.target.intersects(effect.reads)) {
    const auto roots = roots_.of_reads(f, instruction, fact.target);
    claim.holds = roots && fact.root != ir::nothing && !roots->test(fact.root);
    if (claim.holds) claim.apart |= *roots;
  }
  if (moves(fact, effect) || claim.apart.intersects(effect.changes) || (claim.left && reads_blocks(effect)))
    claim.holds = false;
  if (!claim.holds) claim.apart.clear();
}

/// Whether it need not come to the overwrite when these objects are live: not of memory that a pointer leads to. The
/// pointer may be left behind when its memory is freed, and lead into another object meanwhile.
bool Overwrites::may_miss(const Fact& fact, const Objects& live) {
  return fact.named != ir::nothing && !fact.speculates && !live.test(fact.named);
}

/// The greatest solution: what holds on all paths.
std::vector<Overwrites::Held> Overwrites::solve(
    Index f, const Facts& facts, const AtExit& exit,
    const std::function<void(const ir::Instruction&, const Held& after)>& visit) {
  const ir::Function& function = program_.functions[f];
  std::vector<Objects> live;
  if (exit.live != nullptr) live = live_at_blocks(program_, effects_, f, *exit.live);
  const std::size_t count = facts.all.size();
  const std::vector<Claim> all(count, Claim{.holds = true, .apart = {}}), nothing(count);
  std::vector<Held> in(function.blocks.size(), Held{all, all});
  const auto meet = [](Claim& one, const Claim& other) {
    one.holds = one.holds && other.holds;
    one.elsewhere |= other.elsewhere;
    one.left |= other.left;
    one.apart |= other.apart;
    if (!one.holds) one.apart.clear();
  };
  const auto held_after = [&](Index b) {
    if (b == ir::exit_block) {
      Held held{exit.holds ? all : nothing, nothing};
      for (std::size_t i = 0; i < exit.freed.size(); ++i)
        if (exit.freed[i]) held.now[i] = {.holds = true, .apart = {}, .elsewhere = true};
      return held;
    }
    Held held{all, all};
    for (const Index next : function.blocks[b].successors)
      for (std::size_t i = 0; i < count; ++i) {
        if (exit.live != nullptr && may_miss(facts.all[i], live[next]))
          held.now[i].elsewhere = true;
        else
          meet(held.now[i], in[next].now[i]);
        meet(held.from_start[i], in[next].from_start[i]);
      }
    return held;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = function.blocks.size(); b-- > 0;) {
      Held held = held_after(static_cast<Index>(b));
      const auto& instructions = function.blocks[b].instructions;
      for (std::size_t i = instructions.size(); i-- > 0;) {
        if (visit) visit(instructions[i], held);
        step_back(f, instructions[i], facts, held);
      }
      if (held == in[b]) continue;
      in[b] = std::move(held);
      changed = true;
    }
  }
  return in;
}

std::vector<Ahead> Overwrites::at(Index f, Index marker, const Objects* live_at_exit) {
  const Facts facts = facts_of(f, kDepth, false);
  std::vector<Ahead> ahead;
  if (facts.all.empty()) return ahead;
  AtExit exit{.holds = false, .live = live_at_exit, .freed = {}};
  for (const Fact& fact : facts.all) {
    std::map<Index, bool> asked;
    exit.freed.push_back(freed_after(f, fact, asked));
  }
  Held held;
  solve(f, facts, exit, [&](const ir::Instruction& instruction, const Held& after) {
    if (instruction.op == Op::marker && instruction.index == marker) held = after;
  });
  const Effect others = effects_.by_others();
  for (std::size_t i = 0; i < held.now.size(); ++i) {
    const auto& [fact, claim] = std::tie(facts.all[i], held.now[i]);
    ir::Part within{fact.named != ir::nothing ? fact.named : fact.root, ir::none};
    if (within.object == ir::nothing && fact.member) within = {roots_.way_to(f, *fact.member), fact.member->member};
    if (!claim.holds || (claim.elsewhere && within.object == ir::nothing)) continue;
    if (fact.target.intersects(others.reads) || moves(fact, others)) continue;
    if (program_.by_address && fact.target.empty()) continue;  // a pointer that has not been followed
    ahead.push_back({fact.ahead.overwrite, fact.ahead.calls, claim.apart, claim.elsewhere ? within : ir::Part()});
  }
  return ahead;
}

}  // namespace cppc::analysis
