#include "effects.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace cppc::analysis {

using ir::Node;
using ir::Op;
using ir::Storage;

namespace {

/// Of each function, those that call it; of the one that stands for all outside the program, those that call any
/// outside of which nothing is known.
std::vector<std::vector<ir::Index>> callers_of(const ir::Program& program, const models::Models& models,
                                               const PointsTo& points_to) {
  std::vector<std::vector<ir::Index>> callers(program.functions.size());
  for (ir::Index c = 0; c < program.calls.size(); ++c) {
    const ir::Index caller = program.calls[c].caller;
    if (caller == ir::none) continue;
    for (const ir::Index callee : points_to.callees(c)) {
      const ir::Function& function = program.functions[callee];
      const bool unknown = !function.defined && models.find(function.name) == nullptr;
      callers[unknown ? program.elsewhere : callee].push_back(caller);
    }
    for (const ir::Index callee : points_to.callbacks(c)) callers[callee].push_back(caller);
  }
  return callers;
}

/// Each function before those that call it, as far as they do not call each other: few are looked at twice then.
std::vector<ir::Index> callees_first(const std::vector<std::vector<ir::Index>>& callers) {
  std::vector<ir::Index> order;
  std::vector<bool> seen(callers.size());
  std::vector<std::pair<ir::Index, std::size_t>> path;  // and which of the callers comes next
  for (ir::Index start = 0; start < callers.size(); ++start) {
    if (!seen[start]) path.emplace_back(start, 0);
    seen[start] = true;
    while (!path.empty()) {
      auto& [f, next] = path.back();
      if (next == callers[f].size()) {
        order.push_back(f);
        path.pop_back();
        continue;
      }
      const ir::Index caller = callers[f][next++];
      if (!seen[caller]) path.emplace_back(caller, 0);
      seen[caller] = true;
    }
  }
  std::ranges::reverse(order);
  return order;
}

bool contains(const std::vector<ir::Index>& sorted, ir::Index one) { return std::ranges::binary_search(sorted, one); }

}  // namespace

Effects::Effects(const ir::Program& program, const models::Models& models, const PointsTo& points_to)
    : program_(program), models_(models), points_to_(points_to), functions_(program.functions.size()) {
  locals_.resize(program.functions.size());
  for (std::size_t node = 0; node < program.objects.size(); ++node)
    if (const ir::Object& o = program.objects[node]; o.storage == Storage::local && o.function != ir::none)
      locals_[o.function].set(static_cast<unsigned>(node));
  handles_errors_ = std::ranges::any_of(program.functions, [](const ir::Function& function) {
    const std::string_view name = function.name.starts_with('P') ? function.name.c_str() + 1 : function.name.c_str();
    return name == "MPI_Comm_set_errhandler" || name == "MPI_Errhandler_set";
  });
  find_kept_callbacks();
  find_held();
  fill_opaque();
  find_reached();
  const auto functions = static_cast<ir::Index>(program.functions.size());
  // Kills only ever grow from none, and any number of rounds is right; callees tend to come first in the source.
  for (int round = 0; round < 2; ++round)
    for (ir::Index f = 0; f < functions; ++f) summarise_kills(f);
  for (Several& several : several_) find_kills(several);
  functions_[program.elsewhere] = by_others();  // what any function outside may do
  const auto callers = callers_of(program, models, points_to);
  const std::vector<ir::Index> order = callees_first(callers);
  // A function is looked at again when one that it calls has grown.
  const auto until_nothing_grows = [&](auto summarise) {
    std::vector<bool> due(functions, true);
    for (bool changed = true; std::exchange(changed, false);)
      for (const ir::Index f : order) {
        if (!due[f]) continue;
        due[f] = false;
        if (!(this->*summarise)(f)) continue;
        changed = true;
        add_to_several(f);
        for (const ir::Index caller : callers[f]) due[caller] = true;
        if (!contains(kept_callbacks_, f) || !functions_[program.elsewhere].grow(functions_[f])) continue;
        for (const ir::Index caller : callers[program.elsewhere]) due[caller] = true;
      }
  };
  until_nothing_grows(&Effects::summarise_changes);
  until_nothing_grows(&Effects::summarise_reads);
}

void Effects::find_kept_callbacks() {
  const auto keep = [this](ir::Index function) {
    if (program_.functions[function].defined && std::ranges::find(kept_callbacks_, function) == kept_callbacks_.end())
      kept_callbacks_.push_back(function);
  };
  for (ir::Index c = 0; c < program_.calls.size(); ++c) {
    const models::Model* model = models_.find(program_.calls[c].name);
    if (model == nullptr) continue;
    const bool threads = program_.by_address && !model->refused.empty();
    if (model->keeps_callback || threads) std::ranges::for_each(points_to_.callbacks(c), keep);
  }
  const Objects outside = points_to_.reachable(points_to_[program_.unknown]);
  for (const unsigned object : outside) {
    if (program_.objects[object].storage != Storage::function) continue;
    keep(program_.objects[object].function);
    for_callbacks_ = outside;  // what it is called with may be all of that
  }
  std::ranges::sort(kept_callbacks_);
}

void Effects::find_held() {
  Objects given = points_to_[program_.unknown];
  for (const ir::Call& call : program_.calls) {
    const models::Model* model = models_.find(call.name);
    if (model == nullptr) continue;
    for (const int i : model->held)
      if (i < static_cast<int>(call.arguments.size())) given |= points_to_[call.arguments[static_cast<std::size_t>(i)]];
  }
  held_ = points_to_.reachable(given);
}

/// Functions whose graph does not say all that they do.
void Effects::fill_opaque() {
  const Objects all = all_memory(program_);
  for (std::size_t f = 0; f < functions_.size(); ++f) {
    if (program_.functions[f].opaque.empty()) continue;
    functions_[f].reads = functions_[f].changes = functions_[f].parts = all;
    functions_[f].outside = functions_[f].may_end = true;
  }
}

/// A local variable whose address nobody has is its function's alone.
Objects all_memory(const ir::Program& program) {
  Objects all;
  for (std::size_t node = 0; node < program.objects.size(); ++node) {
    const ir::Storage storage = program.objects[node].storage;
    if (storage == ir::Storage::local && !program.objects[node].address_taken) continue;
    if (storage != ir::Storage::temporary && storage != ir::Storage::function && storage != ir::Storage::text)
      all.set(static_cast<unsigned>(node));
  }
  return all;
}

Effect Effects::by_others() const {
  Effect effect;
  effect.reads = for_callbacks_;
  effect.reads |= held_;
  effect.reads |= points_to_.shown();
  add_changes(Objects(effect.reads), effect);
  for (const ir::Index function : kept_callbacks_) effect.grow(functions_[function]);
  return effect;
}

/// Without the function's own locals.
Objects Effects::outliving(ir::Index function, const Objects& objects) const {
  Objects kept = objects;
  kept.intersectWithComplement(locals_[function]);
  return kept;
}

void Effects::before(ir::Index function, const ir::Instruction& instruction, LiveEffect& live) const {
  switch (instruction.op) {
    case Op::read:
      live.reads.set(instruction.b);
      return;
    case Op::load:
      live.reads |= points_to_[instruction.b];
      return;
    case Op::write:
      live.reads.reset(instruction.a);
      live.kills.set(instruction.a);
      return;
    case Op::call:
      break;
    default:
      return;
  }
  const auto pass = [&live](const Effect& effect) {
    if (effect.ends) live = {.reads = {}, .kills = {}, .ends = true};
    live.reads.intersectWithComplement(effect.kills);
    live.reads |= effect.reads;
    live.kills |= effect.kills;
  };
  const Effect* const summary = summary_of_call(instruction.index);
  summary != nullptr ? pass(*summary) : pass(of(function, instruction));
}

Effect Effects::of(ir::Index function, const ir::Instruction& instruction) const {
  Effect effect;
  switch (instruction.op) {
    case Op::read:
      effect.reads.set(instruction.b);
      break;
    case Op::load:
      effect.reads = points_to_[instruction.b];
      break;
    case Op::write:
      effect.kills.set(instruction.a);
      effect.changes.set(instruction.a);
      effect.parts.set(instruction.a);
      break;
    case Op::change:
      effect.changes.set(instruction.a);
      effect.parts.set(points_to_.part({instruction.a, instruction.member}));
      break;
    case Op::store:
      effect.changes = points_to_[instruction.a];
      effect.parts = points_to_.parts(instruction.a, instruction.member);
      break;
    case Op::call:
      return of_call(function, program_.calls[instruction.index], instruction.index);
    case Op::address:
    case Op::copy:
    case Op::marker:
    case Op::overwrite:
    case Op::overwrite_begin:
    case Op::arguments:
      break;
  }
  return effect;
}

void Effects::add_changes(const Objects& objects, Effect& effect) const {
  effect.changes |= objects;
  effect.parts |= objects;
}

const Effect* Effects::summary_of_call(ir::Index call) const {
  const auto& [several, others] = reached_[call];
  if (!points_to_.callbacks(call).empty()) return nullptr;
  if (several != ir::none) return others.empty() ? &several_[several].effect : nullptr;
  return others.size() == 1 && program_.functions[others[0]].defined ? &functions_[others[0]] : nullptr;
}

Effect Effects::of_call(ir::Index function, const ir::Call& call, ir::Index index) const {
  Effect effect;
  const auto with_effect_of = [&](ir::Index callee, const auto& use) {
    if (program_.functions[callee].defined) return use(functions_[callee]);
    Effect one;
    add_outside(call, program_.functions[callee], function, one);
    use(one);
  };
  const auto& [several, others] = reached_[index];
  bool first = several == ir::none;
  if (!first) effect = several_[several].effect;
  for (const ir::Index callee : others)
    with_effect_of(callee, [&](const Effect& one) { effect.add_choice(one, std::exchange(first, false)); });
  for (const ir::Index callee : points_to_.callbacks(index))
    with_effect_of(callee, [&](const Effect& one) {
      effect.grow(one);
      effect.may_end |= one.ends || one.may_end;
    });
  return effect;
}

/// Whether it is a function of the compiler's that is given no pointer.
bool Effects::is_number_builtin(const ir::Call& call, const ir::Function& callee) const {
  return callee.computes &&
         std::ranges::all_of(call.arguments, [this](Node argument) { return points_to_[argument].empty(); });
}

/// C++'s library compares and copies containers: what its arguments lead to leads on to their elements, which are read,
/// too. Nothing when there are none.
std::optional<Objects> Effects::read_with_elements(const ir::Call& call, const models::Model& model) const {
  if (call.name.find("::") == std::string::npos) return {};
  Objects targets;
  const auto add = [&](int i) {
    if (i < static_cast<int>(call.arguments.size())) targets |= points_to_[call.arguments[static_cast<std::size_t>(i)]];
  };
  for (const int i : model.reads) add(i);
  for (int i = model.reads_from; i >= 0 && i < static_cast<int>(call.arguments.size()); ++i) add(i);
  Objects all = points_to_.reachable(targets);
  return all != targets ? std::optional(std::move(all)) : std::nullopt;
}

/// MPI's operations read what they fill when another buffer is MPI_IN_PLACE, an address that is no object's; and when
/// they fail, which ends the program unless it has error handlers of its own, they fill nothing.
bool Effects::fills(const ir::Call& call) const {
  const models::Model* model = call.fills ? models_.find(call.name) : nullptr;
  if (model == nullptr) return false;
  if (model->communication.traffic == models::Traffic::none) return true;
  return !handles_errors_ && std::ranges::none_of(model->reads, [&](int i) {
    const auto argument = static_cast<std::size_t>(i);
    if (i == model->fills.front() || argument >= call.arguments.size()) return false;
    const Objects& targets = points_to_[call.arguments[argument]];
    return targets.test(program_.nowhere) || targets.test(program_.unknown);
  });
}

std::optional<std::vector<Node>> Effects::read_arguments(const ir::Call& call, const ir::Function& callee) const {
  std::vector<Node> arguments;
  const models::Model* model = models_.find(callee.name);
  if (model == nullptr) return is_number_builtin(call, callee) ? std::optional(std::move(arguments)) : std::nullopt;
  if (model->communication.traffic == models::Traffic::start) return {};  // buffers as well, which requests keep
  if (read_with_elements(call, *model)) return {};
  const int count = static_cast<int>(call.arguments.size());
  const bool filled = fills(call);
  for (const int i : model->reads)
    if (i < count && !(filled && i == model->fills.front()))
      arguments.push_back(call.arguments[static_cast<std::size_t>(i)]);
  for (int i = model->reads_from; i >= 0 && i < count; ++i)
    arguments.push_back(call.arguments[static_cast<std::size_t>(i)]);
  return arguments;
}

/// What requests keep: the buffers of a persistent one are read and written when it is started.
void Effects::add_buffers(const Objects& requests, Effect& effect) const {
  for (const unsigned request : requests) {
    effect.reads |= points_to_[request];
    add_changes(points_to_[request], effect);
  }
}

void Effects::add_outside(const ir::Call& call, const ir::Function& callee, ir::Index caller, Effect& effect) const {
  const models::Model* model = models_.find(callee.name);
  if (model == nullptr && is_number_builtin(call, callee)) return;
  if (model == nullptr) {
    effect = functions_[program_.elsewhere];
    effect.reads |= points_to_[program_.unknown];  // where its arguments lead to is in this, too
    add_changes(points_to_[program_.unknown], effect);
    effect.outside = effect.may_end = true;
    return;
  }
  const auto target = [&](int i) -> const Objects& {
    static const Objects nothing;
    return i >= 0 && i < static_cast<int>(call.arguments.size())
               ? points_to_[call.arguments[static_cast<std::size_t>(i)]]
               : nothing;
  };
  const int count = static_cast<int>(call.arguments.size());
  if (const auto read = read_arguments(call, callee)) {
    for (const Node argument : *read) effect.reads |= points_to_[argument];
  } else if (const auto all = read_with_elements(call, *model)) {
    effect.reads |= *all;
  } else {
    for (const int i : model->reads) effect.reads |= target(i);
    add_buffers(target(model->communication.request), effect);
  }
  for (const int i : model->writes) add_changes(target(i), effect);
  for (int i = model->writes_from; i >= 0 && i < count; ++i) add_changes(target(i), effect);
  for (const int i : model->sets) {
    add_changes(target(i), effect);
    if (target(i).count() != 1) continue;
    const auto object = static_cast<Node>(target(i).find_first());
    const ir::Object& o = program_.objects[object];
    const bool one_of_it = o.storage == Storage::global || (o.storage == Storage::local && o.function == caller);
    if (o.scalar && one_of_it) effect.kills.set(object);
  }
  effect.ends = model->returns_never;
  effect.outside = model->communication.traffic != models::Traffic::none || !model->writes.empty() ||
                   model->heap != models::Heap::none || model->required || models::is_of_mpi(callee.name) ||
                   (model->reads_from >= 0);
}

}  // namespace cppc::analysis
