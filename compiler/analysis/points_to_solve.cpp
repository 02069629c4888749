#include <algorithm>
#include <utility>

#include "points_to.hpp"

namespace cppc::analysis {

using ir::Node;

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

void PointsTo::solve() {
  while (!work_.empty()) {
    const std::vector<Node> order = merge_cycles();
    work_.clear();
    std::vector<std::pair<Node, Objects>> changed;
    for (const Node node : order) {
      if (!queued_[node]) continue;
      queued_[node] = false;
      Objects fresh = take_fresh(node);
      if (fresh.empty()) continue;
      propagate(node, fresh);
      changed.emplace_back(node, std::move(fresh));
    }
    std::erase_if(work_, [this](Node node) { return !queued_[node]; });
    for (const auto& [node, fresh] : changed) add_what_follows(node, fresh);
    if (queued_[outside()]) visit_outside();
    if (budget_ != 0 && steps_ > budget_) {
      complete_ = false;
      return;
    }
  }
  finish();
}

/// What has come to the node since it was looked at.
Objects PointsTo::take_fresh(Node node) {
  Objects fresh = sets_[node];
  fresh.intersectWithComplement(done_[node]);
  if (leads_outside(node)) {
    const bool since_now = fresh.test(program_.unknown);
    for (Objects* set : {&fresh, &sets_[node]}) set->intersectWithComplement(sets_[outside()]);
    sets_[node].set(program_.unknown);
    if (since_now) fresh.set(program_.unknown);
  }
  done_[node] |= fresh;
  return fresh;
}

void PointsTo::propagate(Node node, const Objects& fresh) {
  for (const unsigned copy : copies_[node]) {
    ++steps_;
    const Node target = representative(copy);
    if (target != node && (sets_[target] |= fresh)) enqueue(target);
  }
}

void PointsTo::merge(Node into, Node node) {
  if (into == node) return;
  merged_[node] = into;
  sets_[into] |= sets_[node];
  if (into == outside())
    for (const unsigned target : copies_[node]) add_object(target, program_.unknown);
  else
    copies_[into] |= copies_[node];
  done_[into] &= done_[node];
  const auto append = [](auto& to, auto& from) {
    to.insert(to.end(), from.begin(), from.end());
    from = {};
  };
  append(loads_[into], loads_[node]);
  append(stores_[into], stores_[node]);
  append(calls_[into], calls_[node]);
  append(callbacks_by_pointer_[into], callbacks_by_pointer_[node]);
  for (auto* table : {&sets_, &done_, &copies_}) (*table)[node].clear();
  enqueue(into);
}

/// Strongly connected components of the copies that can be reached from where there is work (Tarjan 1972), without
/// recursion: each becomes one node. In topological order.
std::vector<Node> PointsTo::merge_cycles() {
  struct Open {
    Node node;
    std::vector<Node> targets;
    std::size_t next = 0;
  };
  const auto count = static_cast<Node>(sets_.size());
  std::vector<Node> index(count, 0), low(count, 0), stack, order;
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
  index[outside()] = std::numeric_limits<Node>::max();  // what goes there has its own way: no copies lead on
  const std::vector<Node> starts = work_;
  for (const Node queued : starts) {
    const Node start = representative(queued);
    queued_[queued] = false;
    queued_[start] = true;
    if (index[start] != 0) continue;
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
      for (Node member = ir::nothing; member != node;) {
        member = stack.back();
        stack.pop_back();
        on_stack[member] = false;
        merge(node, member);
      }
      order.push_back(node);
    }
  }
  std::ranges::reverse(order);
  return order;
}

void PointsTo::add_what_follows(Node node, const Objects& fresh) {
  for (const unsigned object : fresh) {
    steps_ += loads_[node].size() + stores_[node].size() + calls_[node].size();
    // By index: the tables grow meanwhile.
    for (std::size_t i = 0; i < loads_[node].size(); ++i) {
      const auto [to, member] = loads_[node][i];
      add_copy(to, contents({object, member}));
    }
    for (std::size_t i = 0; i < stores_[node].size(); ++i) {
      const auto [from, member] = stores_[node][i];
      add_copy(filled({object, member}), from);
    }
    ir::Index callee = ir::none;
    if (program_.objects[object].storage == ir::Storage::function) callee = program_.objects[object].function;
    if (object == program_.unknown) callee = program_.elsewhere;
    if (callee == ir::none) continue;
    for (std::size_t i = 0; i < calls_[node].size(); ++i) bind(calls_[node][i], callee);
    for (std::size_t i = 0; i < callbacks_by_pointer_[node].size(); ++i)
      call_back(callbacks_by_pointer_[node][i], callee);
  }
}

/// What code outside the program has gets all that it has, and the other way round.
void PointsTo::visit_outside() {
  const Node out = outside();
  queued_[out] = false;
  Objects fresh = sets_[out];
  fresh.intersectWithComplement(done_[out]);
  done_[out] |= fresh;
  for (const unsigned object : fresh) give_outside(object);
  Objects itself;
  itself.set(program_.unknown);
  add_what_follows(out, itself);
  for (auto* table : {&loads_, &stores_}) (*table)[out].clear();
  for (auto* table : {&calls_, &callbacks_by_pointer_}) (*table)[out].clear();
}

void PointsTo::give_outside(Node object) {
  merge(outside(), representative(anywhere(object)));
  merge(outside(), representative(object));
  if (const auto parts = parts_.find(object); parts != parts_.end())
    for (const auto& [member, part] : parts->second) merge(outside(), representative(part));
  const ir::Object& o = program_.objects[object];
  if (o.storage != ir::Storage::function) return;
  const ir::Function& function = program_.functions[o.function];
  for (const Node parameter : function.parameters) add_object(anywhere(parameter), program_.unknown);
  add_object(function.rest, program_.unknown);
  add_copy(program_.unknown, function.result);
}

void PointsTo::finish() {
  for (Node node = 0; node < merged_.size(); ++node) merged_[node] = representative(node);
  done_ = {};
  next_part_ = static_cast<Node>(sets_.size());
  const Objects& all = sets_[outside()];
  for (const unsigned object : all) {
    const bool others = family_[object] != ir::none && family_[program_.unknown] != ir::none &&
                        family_[object] != family_[program_.unknown];
    if (others || blurred_.test(program_.unknown)) blurred_.set(object);
  }
  std::map<std::vector<unsigned>, const Objects*> known;
  for (Node node = 0; node < sets_.size(); ++node) {
    whole_.push_back(&sets_[node]);
    if (merged_[node] != node || node == outside() || !leads_outside(node)) continue;
    Objects more = sets_[node];
    more.intersectWithComplement(all);
    std::vector<unsigned> key;
    for (const unsigned object : more) key.push_back(object);
    const auto [entry, fresh] = known.try_emplace(std::move(key), &all);
    if (fresh && !more.empty()) {
      more |= all;
      entry->second = &joined_.emplace_back(std::move(more));
    }
    whole_.back() = entry->second;
  }
  add_outside_callees();
}

/// A call through what leads outside may be one of any function whose address is there.
void PointsTo::add_outside_callees() {
  std::vector<ir::Index> functions;
  for (const unsigned object : sets_[outside()])
    if (program_.objects[object].storage == ir::Storage::function)
      functions.push_back(program_.objects[object].function);
  for (const auto& [node, index] : pointer_of_) {
    if (!leads_outside(representative(node))) continue;
    Pointer& pointer = pointers_[index];
    for (const ir::Index function : functions)
      if (pointer.known.test_and_set(function)) pointer.callees.push_back(function);
  }
  for (const auto& [call, node] : callback_pointers_) {
    if (node == ir::nothing || !leads_outside(representative(node))) continue;
    for (const ir::Index function : functions)
      if (std::ranges::find(callbacks_[call], function) == callbacks_[call].end()) callbacks_[call].push_back(function);
  }
}

Objects PointsTo::reachable(const Objects& from) const {
  Objects all = from;
  std::vector<unsigned> work;
  for (const unsigned object : from) work.push_back(object);
  bool all_outside = false;
  while (!work.empty()) {
    const Node node = representative(work.back());
    work.pop_back();
    if (leads_outside(node)) {
      if (!std::exchange(all_outside, true)) all |= sets_[outside()];  // which lead nowhere else
    }
    if (node == outside()) continue;
    for (const unsigned next : sets_[node])
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
    if (node != outside()) continue;
    for (Node other = 0; other < sets_.size(); ++other)
      if (leads_outside(representative(other))) add(other);
  }
  return all;
}

}  // namespace cppc::analysis
