#include "points_to.hpp"

#include <algorithm>

namespace cppc::analysis {

using ir::Node;
using ir::Op;

PointsTo::PointsTo(const ir::Program& program, const models::Models& models) : program_(program), models_(models) {
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
  callbacks_.resize(program.calls.size());
  shown_ = fresh();
  for (Node node = 0; node < nodes; ++node) anywhere_.push_back(has_parts(node) ? fresh() : node);
  for (Node node = 0; node < nodes; ++node) add_copy(node, anywhere_[node]);
  add_object(program.unknown, program.unknown);
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

void PointsTo::enqueue(Node node) {
  if (queued_[node]) return;
  queued_[node] = true;
  work_.push_back(node);
}

/// A new constraint on what the node leads to.
void PointsTo::look_again(Node node) {
  node = representative(node);
  done_[node].clear();
  enqueue(node);
}

void PointsTo::add_copy(Node to, Node from) {
  to = representative(to);
  from = representative(from);
  if (to == ir::nothing || from == ir::nothing || to == from) return;
  if (!copies_[from].test_and_set(to)) return;
  if (sets_[to] |= sets_[from]) enqueue(to);
}

void PointsTo::add_object(Node to, Node object) {
  to = representative(to);
  if (to == ir::nothing || sets_[to].test(object)) return;
  sets_[to].set(object);
  enqueue(to);
}

bool PointsTo::has_parts(Node node) const {
  const ir::Object& o = program_.objects[node];
  const bool memory =
      o.storage == ir::Storage::global || o.storage == ir::Storage::local || o.storage == ir::Storage::heap;
  return memory && !o.scalar;
}

/// What is stored without a member's name.
Node PointsTo::anywhere(Node object) const { return object < anywhere_.size() ? anywhere_[object] : object; }

Node PointsTo::part(ir::Part of) const {
  const auto parts = parts_.find(of.object);
  if (of.member == ir::none || parts == parts_.end() || blurred_.test(of.object)) return of.object;
  const auto found = parts->second.find(of.member);
  return found != parts->second.end() ? found->second : of.object;
}

/// The node of what is read there.
Node PointsTo::contents(ir::Part of) {
  if (of.member == ir::none || of.object >= anywhere_.size() || !has_parts(of.object)) return of.object;
  auto& parts = parts_[of.object];
  if (const auto known = parts.find(of.member); known != parts.end()) return known->second;
  const bool same =
      parts.empty() || program_.members[parts.begin()->first].family == program_.members[of.member].family;
  const Node made = fresh();
  parts.emplace(of.member, made);
  add_copy(made, anywhere_[of.object]);
  add_copy(of.object, made);
  if (!same || blurred_.test(of.object)) blur(of.object);
  return made;
}

/// The node of what is stored there.
Node PointsTo::filled(ir::Part of) { return of.member == ir::none ? anywhere(of.object) : contents(of); }

/// Structures that have nothing to do with each other use the same memory.
void PointsTo::blur(Node object) {
  blurred_.set(object);
  for (const auto& [member, part] : parts_[object]) add_copy(part, object);
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
  if (call.callee != ir::none) return bind(index, call.callee);
  if (call.pointer != ir::nothing) {
    calls_[representative(call.pointer)].push_back(index);
    look_again(call.pointer);
  }
}

void PointsTo::bind(ir::Index index, ir::Index callee) {
  const auto& known = callees_[index];
  if (std::ranges::find(known, callee) == known.end()) reach(index, program_.calls[index], ir::none, callee);
}

void PointsTo::reach(ir::Index index, const ir::Call& here, ir::Index instance, ir::Index callee) {
  auto& known = callees_[index];
  if (std::ranges::find(known, callee) == known.end()) known.push_back(callee);
  const ir::Function& function = program_.functions[callee];
  if (function.defined) return connect(index, here, instance, function);
  if (here.block != ir::nothing) add_object(here.result, here.block);
  if (const models::Model* model = models_.find(function.name)) return apply_model(index, here, *model);
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
  if (const Node function = argument(model.callback); function != ir::nothing) {
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

void PointsTo::solve() {
  std::size_t visits = 0;
  while (!work_.empty()) {
    const Node node = work_.back();
    work_.pop_back();
    queued_[node] = false;
    if (representative(node) == node) visit(node);
    // Much work for few nodes comes from cycles of copies.
    if (++visits % (2 * sets_.size()) == 0) merge_cycles();
  }
}

void PointsTo::merge(Node into, Node node) {
  merged_[node] = into;
  sets_[into] |= sets_[node];
  copies_[into] |= copies_[node];
  const auto append = [](auto& to, auto& from) {
    to.insert(to.end(), from.begin(), from.end());
    from = {};
  };
  append(loads_[into], loads_[node]);
  append(stores_[into], stores_[node]);
  append(calls_[into], calls_[node]);
  append(callbacks_by_pointer_[into], callbacks_by_pointer_[node]);
  sets_[node].clear();
  copies_[node].clear();
}

/// Strongly connected components of the copies (Tarjan 1972), without recursion.
void PointsTo::merge_cycles() {
  struct Open {
    Node node;
    std::vector<Node> targets;
    std::size_t next = 0;
  };
  const auto count = static_cast<Node>(sets_.size());
  std::vector<Node> index(count, 0), low(count, 0), stack;
  std::vector<bool> on_stack(count);
  std::vector<Open> path;
  Node numbered = 0;
  const auto enter = [&](Node node) {
    index[node] = low[node] = ++numbered;
    stack.push_back(node);
    on_stack[node] = true;
    Open open{node, {}};
    for (const unsigned target : copies_[node]) open.targets.push_back(representative(target));
    path.push_back(std::move(open));
  };
  for (Node start = 1; start < count; ++start) {
    if (representative(start) != start || index[start] != 0) continue;
    enter(start);
    while (!path.empty()) {
      Open& open = path.back();
      if (open.next < open.targets.size()) {
        const Node target = open.targets[open.next++];
        if (index[target] == 0)
          enter(target);
        else if (on_stack[target])
          low[open.node] = std::min(low[open.node], index[target]);
        continue;
      }
      const Node node = open.node;
      path.pop_back();
      if (!path.empty()) low[path.back().node] = std::min(low[path.back().node], low[node]);
      if (low[node] != index[node]) continue;
      bool more = false;
      for (Node member = 0; member != node;) {
        member = stack.back();
        stack.pop_back();
        on_stack[member] = false;
        if (member == node) break;
        merge(node, member);
        more = true;
      }
      if (more) look_again(node);
    }
  }
}

void PointsTo::visit(Node node) {
  Objects fresh = sets_[node];
  fresh.intersectWithComplement(done_[node]);
  done_[node] |= fresh;
  for (const unsigned copy : copies_[node]) {
    const Node target = representative(copy);
    if (target != node && (sets_[target] |= fresh)) enqueue(target);
  }
  for (const unsigned object : fresh) {
    // By index: the tables grow meanwhile.
    for (std::size_t i = 0; i < loads_[node].size(); ++i) {
      const auto [to, member] = loads_[node][i];
      add_copy(to, contents({object, member}));
    }
    for (std::size_t i = 0; i < stores_[node].size(); ++i) {
      const auto [from, member] = stores_[node][i];
      add_copy(filled({object, member}), from);
    }
    if (object < program_.objects.size() && program_.objects[object].storage == ir::Storage::function) {
      const ir::Index callee = program_.objects[object].function;
      for (std::size_t i = 0; i < calls_[node].size(); ++i) bind(calls_[node][i], callee);
      for (std::size_t i = 0; i < callbacks_by_pointer_[node].size(); ++i)
        call_back(callbacks_by_pointer_[node][i], callee);
    }
    if (object == program_.unknown && program_.elsewhere != ir::none) {
      for (std::size_t i = 0; i < calls_[node].size(); ++i) bind(calls_[node][i], program_.elsewhere);
      for (std::size_t i = 0; i < callbacks_by_pointer_[node].size(); ++i)
        call_back(callbacks_by_pointer_[node][i], program_.elsewhere);
    }
    if (node == representative(program_.unknown)) {
      add_copy(program_.unknown, object);
      add_copy(anywhere(object), program_.unknown);
    }
  }
}

Objects PointsTo::reachable(const Objects& from) const {
  Objects all = from;
  std::vector<unsigned> work;
  for (const unsigned object : from) work.push_back(object);
  while (!work.empty()) {
    const unsigned object = work.back();
    work.pop_back();
    for (const unsigned next : sets_[representative(object)])
      if (all.test_and_set(next)) work.push_back(next);
  }
  return all;
}

Objects PointsTo::hidden() const {
  Objects all;
  std::vector<Node> work;
  const auto add = [&](Node node) {
    if (all.test_and_set(representative(node))) work.push_back(representative(node));
  };
  for (const Node node : program_.addresses_as_numbers) add(node);
  while (!work.empty()) {
    const Node node = work.back();
    work.pop_back();
    for (const unsigned next : copies_[node]) add(next);
  }
  return all;
}

}  // namespace cppc::analysis
