#include "roots.hpp"

#include <algorithm>

namespace cppc::analysis {

using ir::Index;
using ir::Node;
using ir::Op;
using ir::Storage;

Roots::Roots(const ir::Program& program, const PointsTo& points_to, const Effects& effects)
    : program_(program), points_to_(points_to), effects_(effects), functions_(program.functions.size()) {
  find_sources();
  find_callers();
  summarise();
}

void Roots::find_callers() {
  callers_.resize(program_.functions.size());
  called_otherwise_.resize(program_.functions.size());
  for (Index c = 0; c < program_.calls.size(); ++c) {
    for (const Index callee : points_to_.callees(c)) callers_[callee].push_back(c);
    for (const Index callee : points_to_.callbacks(c)) called_otherwise_[callee] = true;
  }
  for (const unsigned object : points_to_[program_.unknown])
    if (const ir::Object& o = program_.objects[object]; o.storage == Storage::function)
      called_otherwise_[o.function] = true;
}

bool Roots::leads_to_variable(Node pointer) const {
  const Node root = of(pointer);
  if (root == ir::nothing || program_.objects[root].storage != Storage::local) return false;
  const Index f = program_.objects[root].function;
  const auto parameter = fixed_parameter(f, root);
  std::set<std::pair<Index, std::size_t>> asked;
  return parameter && gets_variables(f, *parameter, asked);
}

bool Roots::gets_variables(Index f, std::size_t parameter, std::set<std::pair<Index, std::size_t>>& asked) const {
  if (!asked.insert({f, parameter}).second) return true;
  if (callers_[f].empty() || called_otherwise_[f] || ir::may_begin_in(program_.functions[f].name)) return false;
  return std::ranges::all_of(callers_[f], [&](Index c) {
    const ir::Call& call = program_.calls[c];
    if (parameter >= call.arguments.size() || call.caller == ir::none) return false;
    const Node argument = call.arguments[parameter];
    if (address_in(argument) != ir::nothing) return true;
    const Node root = of(argument);
    const auto handed_on = root != ir::nothing ? fixed_parameter(call.caller, root) : std::nullopt;
    return handed_on && gets_variables(call.caller, *handed_on, asked);
  });
}

void Roots::find_sources() {
  const auto get = [this](Node to, Node from) {
    if (points_to_[from].empty())
      nowhere_.set(to);
    else
      sources_[to].set(from);
  };
  const auto see = [&](const ir::Instruction& instruction) {
    switch (instruction.op) {
      case Op::read:
        if (instruction.member != ir::none)
          members_[instruction.a].push_back({instruction.b, false, instruction.member});
        get(instruction.a, instruction.b);
        break;
      case Op::copy:
        get(instruction.a, instruction.b);
        break;
      case Op::write:
        written_.set(instruction.a);
        get(instruction.a, instruction.b);
        break;
      case Op::change:
        written_.set(instruction.a);
        mixed_.set(instruction.a);
        break;
      case Op::load:
        members_[instruction.a].push_back({instruction.b, true, instruction.member});
        mixed_.set(instruction.a);
        break;
      case Op::address:
        addresses_[instruction.a].set(instruction.b);
        break;
      default:
        break;
    }
  };
  for (const auto& function : program_.functions)
    for (const auto& block : function.blocks) std::ranges::for_each(block.instructions, see);
  std::ranges::for_each(program_.initial, see);
  only_sources_.assign(program_.objects.size(), ir::nothing);
  for (const auto& [value, sources] : sources_)
    if (!mixed_.test(value) && !addresses_.contains(value) && sources.count() == 1)
      only_sources_[value] = static_cast<Node>(sources.find_first());
}

std::optional<std::size_t> Roots::fixed_parameter(Index f, Node variable) const {
  const auto& parameters = program_.functions[f].parameters;
  const auto found = std::ranges::find(parameters, variable);
  if (found == parameters.end() || written_.test(variable) || program_.objects[variable].address_taken) return {};
  return static_cast<std::size_t>(found - parameters.begin());
}

/// A local that only ever gets the pointer of a parameter that is never written is as good as that parameter.
Node Roots::settled(Node variable) const {
  const ir::Object& o = program_.objects[variable];
  if (o.storage != Storage::local || o.address_taken || !o.scalar) return variable;
  const auto& parameters = program_.functions[o.function].parameters;
  if (std::ranges::find(parameters, variable) != parameters.end()) return variable;
  const Node from = source(variable), root = from != ir::nothing ? of(from) : ir::nothing;
  return root != ir::nothing && fixed_parameter(o.function, root) ? root : variable;
}

Node Roots::named(Node value) const {
  const Node variable = address_in(value);
  return variable != ir::nothing && !program_.objects[variable].scalar ? variable : ir::nothing;
}

Node Roots::address_in(Node value) const {
  for (std::set<Node> seen; value != ir::nothing && seen.insert(value).second; value = source(value)) {
    if (program_.objects[value].storage != Storage::temporary) return ir::nothing;
    const auto found = addresses_.find(value);
    if (found == addresses_.end()) continue;
    const bool only = found->second.count() == 1 && !sources_.contains(value) && !mixed_.test(value);
    return only ? static_cast<Node>(found->second.find_first()) : ir::nothing;
  }
  return ir::nothing;
}

Node Roots::of(Node value) const {
  for (std::set<Node> seen; seen.insert(value).second;) {
    const ir::Object& o = program_.objects[value];
    if (o.of_thread) return ir::nothing;  // another thread's may lead elsewhere
    if (o.storage != Storage::temporary) return o.scalar ? settled(value) : ir::nothing;
    value = source(value);
    if (value == ir::nothing) break;
  }
  return ir::nothing;
}

bool Roots::certain(Node value) const {
  for (std::set<Node> seen; value != ir::nothing && seen.insert(value).second; value = source(value)) {
    const bool variable = program_.objects[value].storage != Storage::temporary;
    if (variable && settled(value) == value) return true;
    if (nowhere_.test(value)) return false;
    if (!variable && members_.contains(value)) return true;
  }
  return false;
}

bool Roots::has_pointer(Node variable, Index member) const {
  const auto found = program_.pointers.find(variable);
  return found != program_.pointers.end() && found->second.contains(member);
}

/// Whether there may be several of a function's locals at a time.
bool Roots::may_recurse(Index f) const {
  std::set<Index> seen;
  for (std::vector<Index> work{f}; !work.empty();) {
    const Index g = work.back();
    work.pop_back();
    if (called_otherwise_[g]) return true;
    for (const Index c : callers_[g]) {
      const Index caller = program_.calls[c].caller;
      if (caller == f) return true;
      if (caller != ir::none && seen.insert(caller).second) work.push_back(caller);
    }
  }
  return false;
}

/// The member that a value's pointer comes from, when it is only ever one; else null.
const Roots::Got* Roots::only_member(Node value) const {
  std::set<Node> seen;
  while (value != ir::nothing && !members_.contains(value) && seen.insert(value).second) value = source(value);
  const auto found = members_.find(value);
  if (value == ir::nothing || found == members_.end() || found->second.size() != 1 || addresses_.contains(value))
    return nullptr;
  const Got& got = found->second.front();
  return (got.pointer ? !sources_.contains(value) : source(value) == got.from) ? &got : nullptr;
}

std::optional<ir::Part> Roots::member(Node value) const {
  const Got* got = only_member(value);
  if (got == nullptr || (got->pointer && points_to_[got->from].count() != 1)) return {};
  const auto& [from, pointer, member] = *got;
  const Node structure = pointer ? static_cast<Node>(points_to_[from].find_first()) : from;
  // An array of structures, or a structure twice in another one, has several such members.
  if (!has_pointer(structure, member) || points_to_.part({structure, member}) == structure) return {};
  const ir::Object& o = program_.objects[structure];
  if (o.storage == Storage::local && may_recurse(o.function)) return {};
  return ir::Part{structure, member};
}

std::optional<ir::Part> Roots::parameters_member(Index f, Node value) const {
  const Got* got = only_member(value);
  const Node root = got != nullptr && got->pointer ? of(got->from) : ir::nothing;
  if (root == ir::nothing || !fixed_parameter(f, root) || !has_pointer(root, got->member)) return {};
  return ir::Part{root, got->member};
}

Node Roots::way_to(Index f, ir::Part member) const {
  for (const Node parameter : program_.functions[f].parameters) {
    const Objects& leads_to = points_to_[parameter];
    if (leads_to.count() == 1 && leads_to.test(member.object) && has_pointer(parameter, member.member) &&
        fixed_parameter(f, parameter) && leads_to_variable(parameter))
      return parameter;
  }
  const ir::Object& o = program_.objects[member.object];
  return o.storage == Storage::global || o.function == f ? member.object : ir::nothing;
}

const std::vector<Index>* Roots::callers(Index f) const {
  return called_otherwise_[f] || ir::may_begin_in(program_.functions[f].name) ? nullptr : &callers_[f];
}

template <typename Visit>
void Roots::each_read(Index f, const ir::Instruction& instruction, Visit visit) const {
  if (instruction.op == Op::load) return visit(instruction.b, points_to_[instruction.b]);
  if (instruction.op != Op::call) return visit(ir::nothing, effects_.of(f, instruction).reads);
  const ir::Call& call = program_.calls[instruction.index];
  const auto visit_reads = [&](const Reads& reads) {
    visit(ir::nothing, reads.otherwise);
    for (const auto& [parameter, objects] : reads.through)
      visit(parameter < call.arguments.size() ? call.arguments[parameter] : ir::nothing, objects);
  };
  const Effects::Reached& reached = effects_.reached(instruction.index);
  if (reached.several != ir::none) visit_reads(several_[reached.several]);
  for (const Index callee : reached.others) {
    if (!program_.functions[callee].defined) {
      const auto arguments = effects_.read_arguments(call, program_.functions[callee]);
      if (!arguments) return visit(ir::nothing, effects_.of(f, instruction).reads);
      for (const Node argument : *arguments) visit(argument, points_to_[argument]);
      continue;
    }
    visit_reads(functions_[callee]);
  }
  for (const Index callee : points_to_.callbacks(instruction.index)) visit(ir::nothing, effects_.of(callee).reads);
}

void Roots::add(Index f, Node pointer, const Objects& read, Reads& reads) const {
  if (read.empty()) return;
  const Node root = pointer == ir::nothing ? ir::nothing : of(pointer);
  const auto parameter = root == ir::nothing ? std::nullopt : fixed_parameter(f, root);
  (parameter ? reads.through[*parameter] : reads.otherwise) |= read;
}

Roots::Reads Roots::reads_of(Index f) const {
  Reads reads;
  for (const auto& block : program_.functions[f].blocks)
    for (const auto& instruction : block.instructions)
      each_read(f, instruction, [&](Node pointer, const Objects& read) { add(f, pointer, read, reads); });
  return reads;
}

void Roots::Reads::add(const Reads& other) {
  otherwise |= other.otherwise;
  for (const auto& [parameter, objects] : other.through) through[parameter] |= objects;
}

void Roots::summarise() {
  several_.resize(effects_.several());
  for (bool changed = true; changed;) {
    changed = false;
    for (Index f = 0; f < program_.functions.size(); ++f) {
      if (!program_.functions[f].defined) continue;
      Reads reads = reads_of(f);
      if (reads == functions_[f]) continue;
      functions_[f] = std::move(reads);
      for (const Index several : effects_.several_of(f)) several_[several].add(functions_[f]);
      changed = true;
    }
  }
}

std::optional<Objects> Roots::of_reads(Index f, const ir::Instruction& instruction, const Objects& memory) const {
  Objects roots;
  bool all = true;
  each_read(f, instruction, [&](Node pointer, const Objects& read) {
    if (!read.intersects(memory)) return;
    const Node root = pointer == ir::nothing ? ir::nothing : of(pointer);
    all = all && root != ir::nothing;
    if (root != ir::nothing) roots.set(root);
  });
  return all ? std::optional(std::move(roots)) : std::nullopt;
}

}  // namespace cppc::analysis
