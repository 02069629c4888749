#include "plan.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "liveness.hpp"

namespace cppc::analysis {

using ir::Index;
using ir::Op;
using ir::Storage;

namespace {

class Planner {
 public:
  Planner(const ir::Program& program, const models::Models& models, const PointsTo& points_to, const Effects& effects,
          Overwrites& overwrites)
      : program_(program), models_(models), points_to_(points_to), effects_(effects), overwrites_(overwrites) {}

  Plan run(Choice choice);

 private:
  /// A statement with a call on the path, as the analyses need it again and again.
  struct PathCall {
    Index call, marker, routine;
    Objects reads;  ///< by the statement before the call
  };

  struct Spot {
    Index block = 0;
    std::size_t instruction = 0;
  };

  void find_routines();
  std::set<Index> leading_to(Index function, Index block) const;
  Spot find(Index function, Op op, Index index) const;
  void add_call(Index call);
  void refuse_functions();
  void refuse_hidden_pointers();
  void refuse_objects();
  void fill_places();
  void fill_live();
  Objects statement_reads(Index marker, Index call, bool* effects_before) const;
  Objects own_locals(Index function, const Objects& objects) const;
  bool leads_to_point(Index call) const {
    return std::ranges::any_of(points_to_.callees(call), [&](Index callee) { return on_path(callee); });
  }
  bool on_path(Index function) const { return routine_of_.contains(function); }
  void refuse(const ir::Position& where, std::string what, std::string advice) {
    plan_.refusals.push_back({where, std::move(what), std::move(advice)});
  }

  const ir::Program& program_;
  const models::Models& models_;
  const PointsTo& points_to_;
  const Effects& effects_;
  Overwrites& overwrites_;
  Plan plan_;
  std::map<Index, Index> routine_of_;
  std::vector<PathCall> calls_;
  std::optional<Liveness> liveness_;
};

Objects Planner::own_locals(Index function, const Objects& objects) const {
  Objects kept;
  for (const unsigned object : objects) {
    const ir::Object& o = program_.objects[object];
    if (o.storage == Storage::local && o.function == function) kept.set(object);
  }
  return kept;
}

/// All functions from which a safe point can be reached, and the calls that lead there.
void Planner::find_routines() {
  std::vector<Index> work;
  const auto add = [&](Index f) {
    if (routine_of_.contains(f)) return;
    routine_of_[f] = static_cast<Index>(plan_.routines.size());
    plan_.routines.push_back({f, {}});
    work.push_back(f);
  };
  for (const SafePoint& point : plan_.points) add(program_.markers[point.marker].function);
  std::map<Index, std::vector<Index>> callers;
  for (Index c = 0; c < program_.calls.size(); ++c) {
    if (program_.calls[c].caller == ir::none) continue;
    for (const Index callee : points_to_.callees(c)) callers[callee].push_back(c);
    for (const Index callee : points_to_.callbacks(c)) callers[callee].push_back(c);
  }
  std::set<Index> added;
  while (!work.empty()) {
    const Index f = work.back();
    work.pop_back();
    for (const Index c : callers[f]) {
      if (!added.insert(c).second) continue;
      const auto& direct = points_to_.callees(c);
      if (std::ranges::find(direct, f) == direct.end()) {
        refuse(program_.calls[c].where,
               program_.calls[c].name + "() calls " + program_.functions[f].name + "(), which has a safe point",
               "put '#pragma cppc off' before the loop in " + program_.functions[f].name + "()");
        continue;
      }
      add(program_.calls[c].caller);
      add_call(c);
    }
  }
  for (Index p = 0; p < plan_.points.size(); ++p) {
    const Index f = program_.markers[plan_.points[p].marker].function;
    plan_.routines[routine_of_[f]].places.push_back({.marker = plan_.points[p].marker, .point = p});
  }
  std::ranges::sort(calls_, {}, [&](const PathCall& path) { return program_.calls[path.call].order; });
  for (PathCall& path : calls_) {
    bool effects_before = false;
    path.reads = statement_reads(path.marker, path.call, &effects_before);
    const std::string name = program_.calls[path.call].name;
    if (effects_before)
      refuse(program_.calls[path.call].where,
             "the statement has effects before its call of " + (name.empty() ? "a function" : name + "()") +
                 ", which can reach a safe point",
             "make the call a statement of its own");
    const bool apart =
        std::ranges::count_if(calls_, [&](const PathCall& other) { return other.marker == path.marker; }) > 1;
    plan_.routines[path.routine].places.push_back({.marker = path.marker, .call = path.call, .apart = apart});
  }
  for (const Routine& routine : plan_.routines) {
    const ir::Function& function = program_.functions[routine.function];
    const std::string& why = function.obstacle.empty() ? function.opaque : function.obstacle;
    if (!why.empty())
      refuse(function.where, function.name + "() leads to a safe point, and " + why,
             "rewrite it, or put '#pragma cppc off' before the loop");
  }
}

void Planner::add_call(Index c) {
  const ir::Call& call = program_.calls[c];
  PathCall path{.call = c, .marker = call.marker, .routine = routine_of_[call.caller], .reads = {}};
  if (call.marker == ir::none) {
    refuse(call.where, "a call that can reach a safe point stands where no statement begins",
           "make it a statement of its own");
    return;
  }
  calls_.push_back(std::move(path));
}

/// Blocks from which `to` can be reached without passing a marker again.
std::set<Index> Planner::leading_to(Index f, Index to) const {
  const ir::Function& function = program_.functions[f];
  std::map<Index, std::vector<Index>> before;
  for (Index b = 0; b < function.blocks.size(); ++b)
    for (const Index next : function.blocks[b].successors) before[next].push_back(b);
  std::set<Index> found{to};
  for (std::vector<Index> work{to}; !work.empty();) {
    const Index b = work.back();
    work.pop_back();
    for (const Index previous : before[b])
      if (found.insert(previous).second) work.push_back(previous);
  }
  return found;
}

Planner::Spot Planner::find(Index f, Op op, Index index) const {
  const ir::Function& function = program_.functions[f];
  for (Index b = 0; b < function.blocks.size(); ++b)
    for (std::size_t i = 0; i < function.blocks[b].instructions.size(); ++i)
      if (function.blocks[b].instructions[i].op == op && function.blocks[b].instructions[i].index == index)
        return {b, i};
  return {};
}

/// What a statement reads before its call; whether it does something that must not be done again.
Objects Planner::statement_reads(Index marker, Index call, bool* effects_before) const {
  const Index f = program_.markers[marker].function;
  const ir::Function& function = program_.functions[f];
  Objects reads, kept_from;
  bool in_arguments = false, keeps = false;
  const Spot start = find(f, Op::marker, marker), end = find(f, Op::call, call);
  const std::set<Index> towards = leading_to(f, end.block);
  std::vector<Spot> work{{start.block, start.instruction + 1}};
  std::set<Index> seen;
  while (!work.empty()) {
    const auto [b, first] = work.back();
    work.pop_back();
    bool through = true;
    Index apart = ir::none;  // a call on the path that is made before the statement, with its arguments
    for (std::size_t i = first; i < function.blocks[b].instructions.size(); ++i) {
      const auto& instruction = function.blocks[b].instructions[i];
      if (instruction.op == Op::marker || (instruction.op == Op::call && instruction.index == call)) {
        through = false;
        break;
      }
      in_arguments |= instruction.op == Op::arguments && instruction.index == call;
      if (instruction.op == Op::arguments && apart == ir::none && !in_arguments && leads_to_point(instruction.index))
        apart = instruction.index;
      const Effect effect = effects_.of(f, instruction);
      reads |= effect.reads;
      if (instruction.op == Op::call && instruction.index == apart) apart = ir::none;
      if (in_arguments) continue;  // evaluated again only as far as they have no effects
      if (apart == ir::none && !(instruction.op == Op::call && leads_to_point(instruction.index)))
        kept_from |= effect.reads;
      if (instruction.op == Op::call && leads_to_point(instruction.index)) continue;  // made apart, too
      if (effect.outside) *effects_before = true;
      for (const unsigned changed : effect.changes) {
        const ir::Object& o = program_.objects[changed];
        if (!(o.storage == Storage::local && o.function == f && !o.address_taken && o.scalar)) *effects_before = true;
        keeps |= apart == ir::none;
      }
    }
    if (!through) continue;
    for (const Index next : function.blocks[b].successors)
      if (towards.contains(next) && seen.insert(next).second) work.push_back({next, 0});
  }
  // What is kept before the call is worked out again after it: from the same, or not at all.
  const Effect made = effects_.of(f, function.blocks[end.block].instructions[end.instruction]);
  if (keeps && kept_from.intersects(made.changes)) *effects_before = true;
  return reads;
}

void Planner::fill_places() {
  // What a safe point below a function needs of memory, its callers' locals included.
  std::map<Index, Objects> below;
  for (bool changed = true; changed;) {
    changed = false;
    for (Routine& routine : plan_.routines) {
      Objects all;
      for (Place& place : routine.places) {
        if (place.point != ir::none) {
          all |= liveness_->memory(liveness_->at_marker(routine.function, place.marker));
          continue;
        }
        for (const Index callee : points_to_.callees(place.call)) all |= below[callee];
        for (const PathCall& path : calls_)
          if (path.call == place.call) all |= liveness_->memory(path.reads);
      }
      changed |= below[routine.function] |= all;
    }
  }
  for (Routine& routine : plan_.routines) {
    for (Place& place : routine.places) {
      if (place.point != ir::none) {
        place.locals = own_locals(routine.function, liveness_->at_marker(routine.function, place.marker));
        continue;
      }
      Objects live = liveness_->after_call(routine.function, place.call);
      for (const Index callee : points_to_.callees(place.call)) live |= below[callee];
      for (const PathCall& path : calls_)
        if (path.call == place.call) live |= path.reads;
      place.locals = own_locals(routine.function, live);
    }
  }
}

void Planner::fill_live() {
  // What the statements of the callers read again.
  std::map<Index, Objects> context;
  for (bool changed = true; changed;) {
    changed = false;
    for (const PathCall& path : calls_) {
      Objects all = context[program_.calls[path.call].caller];
      all |= liveness_->memory(path.reads);
      for (const Index callee : points_to_.callees(path.call)) changed |= context[callee] |= all;
    }
  }
  for (const SafePoint& point : plan_.points) {
    const Index f = program_.markers[point.marker].function;
    Objects live = liveness_->memory(liveness_->at_marker(f, point.marker));
    live |= context[f];
    Objects kept;
    for (const unsigned object : live) {
      const ir::Object& o = program_.objects[object];
      if ((o.storage == Storage::global && o.defined && !o.constant) || o.storage == Storage::heap) kept.set(object);
    }
    plan_.saved |= kept;
    plan_.live.push_back(std::move(kept));
    plan_.ahead.push_back(overwrites_.at(f, point.marker, &liveness_->at_exit(f)));
  }
}

/// Functions of libraries that make state which no image can hold.
void Planner::refuse_functions() {
  for (const ir::Call& call : program_.calls) {
    if (call.callee == ir::none || program_.functions[call.callee].defined) continue;
    const models::Model* model = models_.find(call.name);
    if (model == nullptr) continue;
    if (!model->lost.empty()) plan_.warnings.push_back({call.where, call.name + "(): " + model->lost});
    if (model->refused.empty() || (model->refused_on_path && !on_path(call.caller))) continue;
    refuse(call.where, call.name + "(): " + model->refused, "see share/cppc/c.toml for what is known of functions");
  }
}

/// What is known of the program may not be all of it; each thread's variables cannot be listed.
void Planner::refuse_objects() {
  if (!program_.unclear.empty())
    refuse(program_.markers[plan_.points.front().marker].where,
           program_.unclear + ": what the program reads is not known", "build it without --portable");
  for (const unsigned object : plan_.saved)
    if (program_.objects[object].of_thread)
      refuse(program_.places.at(object),
             "the variable '" + program_.names.at(object) + "' is live at a safe point, and each thread has its own",
             "hand it over as an argument");
}

/// Numbers that hold an address would lead nowhere in another process.
void Planner::refuse_hidden_pointers() {
  Objects live = plan_.saved;
  for (const Routine& routine : plan_.routines)
    for (const Place& place : routine.places) live |= place.locals;
  const Objects hidden = points_to_.hidden();
  for (const unsigned object : live) {
    const ir::Object& o = program_.objects[object];
    if (!o.number || points_to_[object].empty()) continue;
    Objects held = points_to_[object];
    held.reset(program_.nowhere);
    if (held.empty()) continue;
    // Pointers stand beside numbers in many structures that are copied as a whole, or of which a number is sent.
    held.reset(program_.text);
    held.intersectWithComplement(points_to_.sent());
    const bool copied = !held.empty() && !held.test(program_.unknown);  // from a pointer, as memory
    if (!copied && !hidden.test(points_to_.representative(object))) continue;
    refuse(program_.places.at(object),
           "the number '" + program_.names.at(object) + "' is live at a safe point and may hold an address of '" +
               program_.names.at(static_cast<ir::Node>(points_to_[object].find_first())) + "'",
           "make it a pointer");
  }
}

Plan Planner::run(Choice choice) {
  plan_.points = std::move(choice.points);
  plan_.rejected = std::move(choice.rejected);
  if (plan_.points.empty()) return std::move(plan_);
  find_routines();
  std::vector<Index> functions, calls;
  for (const Routine& routine : plan_.routines) functions.push_back(routine.function);
  for (const PathCall& path : calls_) calls.push_back(path.call);
  liveness_.emplace(program_, points_to_, effects_, functions, calls);
  fill_places();
  fill_live();
  refuse_functions();
  refuse_objects();
  refuse_hidden_pointers();
  return std::move(plan_);
}

}  // namespace

Plan make_plan(const ir::Program& program, const models::Models& models, const PointsTo& points_to,
               const Effects& effects, const Traffic& traffic, Overwrites& overwrites) {
  return Planner(program, models, points_to, effects, overwrites)
      .run(choose_safe_points(program, points_to, traffic, overwrites));
}

}  // namespace cppc::analysis
