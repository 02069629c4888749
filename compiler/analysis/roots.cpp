#include "roots.hpp"

#include <algorithm>
#include <set>

namespace cppc::analysis {

using ir::Index;
using ir::Node;
using ir::Op;
using ir::Storage;

Roots::Roots(const ir::Program& program, const PointsTo& points_to, const Effects& effects)
    : program_(program), points_to_(points_to), effects_(effects), functions_(program.functions.size()) {
  find_sources();
  summarise();
}

void Roots::find_sources() {
  const auto see = [this](const ir::Instruction& instruction) {
    switch (instruction.op) {
      case Op::read:
      case Op::copy:
        if (!points_to_[instruction.b].empty()) sources_[instruction.a].set(instruction.b);
        break;
      case Op::write:
        written_.set(instruction.a);
        if (!points_to_[instruction.b].empty()) sources_[instruction.a].set(instruction.b);
        break;
      case Op::change:
        written_.set(instruction.a);
        [[fallthrough]];
      case Op::load:
      case Op::address:
        mixed_.set(instruction.a);
        break;
      default:
        break;
    }
  };
  for (const auto& function : program_.functions)
    for (const auto& block : function.blocks) std::ranges::for_each(block.instructions, see);
  std::ranges::for_each(program_.initial, see);
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
  if (o.storage != Storage::local || o.address_taken || !o.scalar || mixed_.test(variable)) return variable;
  const auto& parameters = program_.functions[o.function].parameters;
  if (std::ranges::find(parameters, variable) != parameters.end()) return variable;
  const auto sources = sources_.find(variable);
  if (sources == sources_.end() || sources->second.count() != 1) return variable;
  const Node root = of(static_cast<Node>(sources->second.find_first()));
  return root != ir::nothing && fixed_parameter(o.function, root) ? root : variable;
}

Node Roots::of(Node value) const {
  for (std::set<Node> seen; seen.insert(value).second;) {
    const ir::Object& o = program_.objects[value];
    if (o.storage != Storage::temporary) return o.scalar ? settled(value) : ir::nothing;
    const auto sources = sources_.find(value);
    if (mixed_.test(value) || sources == sources_.end() || sources->second.count() != 1) return ir::nothing;
    value = static_cast<Node>(sources->second.find_first());
  }
  return ir::nothing;
}

template <typename Visit>
void Roots::each_read(Index f, const ir::Instruction& instruction, Visit visit) const {
  if (instruction.op == Op::load) return visit(instruction.b, points_to_[instruction.b]);
  if (instruction.op != Op::call) return visit(ir::nothing, effects_.of(f, instruction).reads);
  const ir::Call& call = program_.calls[instruction.index];
  for (const Index callee : points_to_.callees(instruction.index)) {
    if (!program_.functions[callee].defined) {
      const auto arguments = effects_.read_arguments(call, program_.functions[callee]);
      if (!arguments) return visit(ir::nothing, effects_.of(f, instruction).reads);
      for (const Node argument : *arguments) visit(argument, points_to_[argument]);
      continue;
    }
    const Reads& reads = functions_[callee];
    visit(ir::nothing, reads.otherwise);
    for (const auto& [parameter, objects] : reads.through)
      visit(parameter < call.arguments.size() ? call.arguments[parameter] : ir::nothing, objects);
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

void Roots::summarise() {
  for (bool changed = true; changed;) {
    changed = false;
    for (Index f = 0; f < program_.functions.size(); ++f) {
      if (!program_.functions[f].defined) continue;
      Reads reads = reads_of(f);
      if (reads == functions_[f]) continue;
      functions_[f] = std::move(reads);
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
