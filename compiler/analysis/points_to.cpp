#include "points_to.hpp"

#include <algorithm>

namespace cppc::analysis {

using ir::Node;
using ir::Op;

PointsTo::PointsTo(const ir::Program& program, const models::Models& models, Precision precision, std::uint64_t budget)
    : program_(program), models_(models), precision_(precision), budget_(budget) {
  const std::size_t nodes = program.objects.size();
  sets_.resize(nodes);
  for (Node node = 0; node < nodes; ++node) merged_.push_back(node);
  done_.resize(nodes);
  copies_.resize(nodes);
  loads_.resize(nodes);
  stores_.resize(nodes);
  calls_.resize(nodes);
  callbacks_by_pointer_.resize(nodes);
  queued_.resize(nodes);
  callees_.resize(program.calls.size());
  by_pointer_.assign(program.calls.size(), ir::none);
  callbacks_.resize(program.calls.size());
  find_families();
  shown_ = fresh();
  in_messages_ = fresh();
  loads_[shown_].push_back({in_messages_, ir::none});
  stores_[shown_].push_back({in_messages_, ir::none});
  for (Node node = 0; node < nodes; ++node) anywhere_.push_back(has_parts(node) ? fresh() : node);
  for (Node node = 0; node < nodes; ++node) add_copy(node, anywhere_[node]);
  add_object(program.unknown, program.unknown);
  for (Node node = 0; precision == Precision::coarse && node < nodes; ++node)
    if (program.objects[node].address_taken) add_object(program.unknown, node);
  find_instances();
  for (const auto& instruction : program.initial) add_instruction(instruction);
  for (std::size_t f = 0; f < program.functions.size(); ++f)
    if (!has_instances_[f]) add_function(program.functions[f], ir::none);
  solve();
}

Node PointsTo::fresh() {
  merged_.push_back(static_cast<Node>(merged_.size()));
  for (auto* table : {&sets_, &done_, &copies_}) table->emplace_back();
  for (auto* table : {&loads_, &stores_}) table->emplace_back();
  for (auto* table : {&calls_, &callbacks_by_pointer_}) table->emplace_back();
  queued_.push_back(false);
  return static_cast<Node>(sets_.size() - 1);
}

void PointsTo::add_copy(Node to, Node from) {
  to = representative(to);
  from = representative(from);
  if (to == ir::nothing || from == ir::nothing || to == from) return;
  if (from == outside()) return add_object(to, program_.unknown);
  if (!copies_[from].test_and_set(to)) return;
  if (sets_[to] |= sets_[from]) enqueue(to);
}

void PointsTo::add_object(Node to, Node object) {
  to = representative(to);
  if (precision_ == Precision::coarse && to != outside()) object = program_.unknown;
  if (to == ir::nothing || sets_[to].test(object)) return;
  sets_[to].set(object);
  enqueue(to);
}

void PointsTo::add_instruction(const ir::Instruction& instruction) {
  const auto& [op, a, b, index, member] = instruction;
  switch (op) {
    case Op::read:
      return add_copy(a, contents({b, member}));
    case Op::write:
    case Op::change:
      return add_copy(filled({a, member}), b);
    case Op::copy:
      return add_copy(a, b);
    case Op::address:
      return add_object(a, b);
    case Op::load:
      if (a == ir::nothing || b == ir::nothing) return;
      loads_[representative(b)].push_back({a, member});
      return look_again(b);
    case Op::store:
      if (a == ir::nothing || (b == ir::nothing && member == ir::none)) return;
      stores_[representative(a)].push_back({b, member});
      return look_again(a);
    case Op::call:
      return add_call(index, ir::none);
    case Op::marker:
    case Op::overwrite:
    case Op::overwrite_begin:
    case Op::arguments:
      return;
  }
}

void PointsTo::add_call(ir::Index index, ir::Index instance) {
  const ir::Call& call = program_.calls[index];
  if (instance != ir::none) return reach(index, call_in(instance, call), instance, call.callee);
  if (call.callee != ir::none) return reach(index, call, ir::none, call.callee);
  if (call.pointer != ir::nothing) add_call_through(call.pointer, index);
}

void PointsTo::add_call_through(Node node, ir::Index index) {
  const auto [known, first] = pointer_of_.try_emplace(node, static_cast<ir::Index>(pointers_.size()));
  if (first) {
    pointers_.push_back({.calls = {}, .arguments = {}, .result = fresh(), .callees = {}, .known = {}});
    calls_[representative(node)].push_back(known->second);
    look_again(node);
  }
  by_pointer_[index] = known->second;
  Pointer& pointer = pointers_[known->second];
  const ir::Call& call = program_.calls[index];
  pointer.calls.push_back(index);
  while (pointer.arguments.size() < call.arguments.size()) pointer.arguments.push_back(fresh());
  for (std::size_t i = 0; i < call.arguments.size(); ++i) add_copy(pointer.arguments[i], call.arguments[i]);
  add_copy(call.result, pointer.result);
}

/// Before a pointer is seen to lead to a function, all calls through it are known.
void PointsTo::bind(ir::Index index, ir::Index callee) {
  Pointer& pointer = pointers_[index];
  if (!pointer.known.test_and_set(callee)) return;
  pointer.callees.push_back(callee);
  const ir::Function& function = program_.functions[callee];
  if (!function.defined) {
    for (const ir::Index call : pointer.calls) reach_outside(call, program_.calls[call], function);
    return;
  }
  ir::Call all;
  all.arguments = pointer.arguments;
  all.result = pointer.result;
  connect(ir::none, all, ir::none, function);
}

void PointsTo::reach(ir::Index index, const ir::Call& here, ir::Index instance, ir::Index callee) {
  auto& known = callees_[index];
  if (std::ranges::find(known, callee) == known.end()) known.push_back(callee);
  const ir::Function& function = program_.functions[callee];
  if (function.defined) return connect(index, here, instance, function);
  reach_outside(index, here, function);
}

void PointsTo::reach_outside(ir::Index index, const ir::Call& here, const ir::Function& callee) {
  if (here.block != ir::nothing) add_object(here.result, here.block);
  if (const models::Model* model = models_.find(callee.name)) return apply_model(index, here, *model);
  apply_unknown(here);
}

void PointsTo::apply_model(ir::Index index, const ir::Call& call, const models::Model& model) {
  const auto argument = [&](int i) {
    return i >= 0 && i < static_cast<int>(call.arguments.size()) ? call.arguments[static_cast<std::size_t>(i)]
                                                                 : ir::nothing;
  };
  const auto through = [&](Node pointer, std::vector<std::vector<ir::Part>>& table, Node value) {
    if (pointer == ir::nothing || value == ir::nothing) return;
    table[representative(pointer)].push_back({value, ir::none});
    look_again(pointer);
  };
  for (const auto& [to, from] : model.copies) {
    const Node carried = fresh();
    through(argument(from), loads_, carried);
    through(argument(to), stores_, carried);
  }
  for (const auto& [to, from] : model.keeps) through(argument(to), stores_, argument(from));
  for (const int from : model.exports) {
    const Node carried = fresh();
    through(argument(from), loads_, carried);
    add_copy(program_.unknown, carried);
  }
  for (const int to : model.imports) through(argument(to), stores_, program_.unknown);
  if (model.messages) {
    for (const auto* sent : {&model.reads, &model.held})
      for (const int from : *sent) through(argument(from), loads_, in_messages_);
    for (const auto* received : {&model.writes, &model.held})
      for (const int to : *received) through(argument(to), stores_, in_messages_);
  }
  add_copy(call.result, argument(model.returns));
  const bool untracked = program_.by_address && !model.refused.empty();
  if (model.returns_outside || untracked) add_object(call.result, program_.unknown);
  if (model.heap == models::Heap::allocates && model.heap_argument >= 0 && call.block != ir::nothing) {
    const Node block = fresh();
    add_object(block, call.block);
    through(argument(model.heap_argument), stores_, block);
  }
  if (model.shows >= 0 && model.heap == models::Heap::allocates)
    add_object(shown_, call.block);
  else
    add_copy(shown_, argument(model.shows));
  if (model.heap == models::Heap::reallocates) add_copy(call.result, argument(0));
  Node function = argument(model.callback);
  if (const Node holder = argument(model.callback_in); holder != ir::nothing) {
    function = fresh();
    through(holder, loads_, function);
  }
  if (function != ir::nothing) {
    callback_pointers_.emplace_back(index, function);
    callbacks_by_pointer_[representative(function)].push_back(index);
    look_again(function);
  }
}

void PointsTo::call_back(ir::Index index, ir::Index callee) {
  auto& known = callbacks_[index];
  if (std::ranges::find(known, callee) != known.end()) return;
  known.push_back(callee);
  const ir::Call& call = program_.calls[index];
  const ir::Function& function = program_.functions[callee];
  const models::Model* model = models_.find(call.name);
  if (callee == program_.elsewhere && model != nullptr)
    for (const int from : model->callback_arguments)
      if (from < static_cast<int>(call.arguments.size()))
        add_copy(program_.unknown, call.arguments[static_cast<std::size_t>(from)]);
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    if (model != nullptr && i < model->callback_arguments.size()) {
      const auto from = static_cast<std::size_t>(model->callback_arguments[i]);
      if (from < call.arguments.size()) add_copy(anywhere(function.parameters[i]), call.arguments[from]);
    } else {
      add_object(anywhere(function.parameters[i]), program_.unknown);
    }
  }
}

/// A function of which nothing is known keeps all that it is given and returns anything it has seen.
void PointsTo::apply_unknown(const ir::Call& call) {
  for (const Node argument : call.arguments) add_copy(program_.unknown, argument);
  add_copy(call.result, program_.unknown);
}

}  // namespace cppc::analysis
