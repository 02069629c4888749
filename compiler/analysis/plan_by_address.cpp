/// The plan for a program whose state is kept by address: where it may stop, and what is dead there. All that nobody
/// calls dead is carried, so that whatever is not understood costs bytes only.
#include <algorithm>
#include <set>

#include "liveness.hpp"
#include "plan.hpp"

namespace cppc::analysis {

using ir::Index;
using ir::Storage;

namespace {

/// Bytes of a variable that it is worth to name.
constexpr std::uint64_t kWorthwhile = 4096;

class Planner {
 public:
  Planner(const ir::Program& program, const models::Models& models, const PointsTo& points_to, const Effects& effects,
          Overwrites& overwrites)
      : program_(program), models_(models), points_to_(points_to), effects_(effects), overwrites_(overwrites) {}

  Plan run(Choice choice);

 private:
  /// The functions from which a safe point can be reached.
  struct Paths {
    std::vector<Index> functions, calls;
    std::set<Index> open;  ///< that are called by code which is not known, too
  };

  Paths find_paths(const std::vector<SafePoint>& points) const;
  Objects under_test() const;
  Objects target(const Ahead& ahead) const;
  bool worthwhile(const Ahead& ahead) const;
  bool may_be_dead(unsigned object) const;
  std::string untold(const SafePoint& point) const;

  const ir::Program& program_;
  const models::Models& models_;
  const PointsTo& points_to_;
  const Effects& effects_;
  Overwrites& overwrites_;
};

Planner::Paths Planner::find_paths(const std::vector<SafePoint>& points) const {
  Paths paths;
  std::vector<std::vector<Index>> callers(program_.functions.size());
  for (Index c = 0; c < program_.calls.size(); ++c) {
    if (program_.calls[c].caller == ir::none) continue;
    for (const Index callee : points_to_.callees(c)) callers[callee].push_back(c);
    for (const Index callee : points_to_.callbacks(c)) paths.open.insert(callee);
  }
  for (const unsigned object : effects_.by_others().reads)
    for (const unsigned function : points_to_[object])
      if (function < program_.objects.size() && program_.objects[function].storage == Storage::function)
        paths.open.insert(program_.objects[function].function);
  std::set<Index> functions, calls;
  std::vector<Index> work;
  for (const SafePoint& point : points) work.push_back(program_.markers[point.marker].function);
  while (!work.empty()) {
    const Index f = work.back();
    work.pop_back();
    if (!functions.insert(f).second) continue;
    for (const Index c : callers[f]) {
      calls.insert(c);
      work.push_back(program_.calls[c].caller);
    }
  }
  paths.functions.assign(functions.begin(), functions.end());
  paths.calls.assign(calls.begin(), calls.end());
  return paths;
}

/// Buffers of requests that the program tests: these may be active where the others are known to be complete.
Objects Planner::under_test() const {
  const auto argument = [this](const ir::Call& call, int i) -> const Objects& {
    static const Objects nothing;
    return i >= 0 && i < static_cast<int>(call.arguments.size())
               ? points_to_[call.arguments[static_cast<std::size_t>(i)]]
               : nothing;
  };
  Objects tested, buffers;
  for (const ir::Call& call : program_.calls)
    if (const models::Model* model = models_.find(call.name);
        model != nullptr && model->communication.traffic == models::Traffic::test)
      tested |= argument(call, model->communication.request);
  for (const ir::Call& call : program_.calls) {
    const models::Model* model = models_.find(call.name);
    if (model == nullptr || !tested.intersects(argument(call, model->communication.request))) continue;
    for (const auto* arguments : {&model->reads, &model->writes})
      for (const int i : *arguments) buffers |= argument(call, i);
  }
  return buffers;
}

Objects Planner::target(const Ahead& ahead) const {
  const ir::Target& target = program_.overwrites[ahead.overwrite].target;
  if (target.object == ir::nothing) return points_to_[target.pointer];
  Objects named;
  named.set(target.object);
  return named;
}

/// A local variable that is perhaps kept in registers is not named either: its address would force it into memory.
bool Planner::worthwhile(const Ahead& ahead) const {
  bool large = false;
  for (const unsigned object : target(ahead)) {
    const ir::Object& o = program_.objects[object];
    const bool small = o.bytes > 0 && o.bytes < kWorthwhile;
    if (small && o.storage == Storage::local) return false;
    large |= !small;
  }
  return large;
}

bool Planner::may_be_dead(unsigned object) const {
  const ir::Object& o = program_.objects[object];
  return o.storage == Storage::global && o.defined && !o.constant && o.bytes >= kWorthwhile;
}

std::string Planner::untold(const SafePoint& point) const {
  const ir::Function& function = program_.functions[program_.markers[point.marker].function];
  if (!program_.unclear.empty()) return program_.unclear;
  if (!function.opaque.empty()) return function.name + "(): " + function.opaque;
  return point.proved ? "" : "messages may be in flight";
}

Plan Planner::run(Choice choice) {
  Plan plan;
  plan.points = std::move(choice.points);
  plan.rejected = std::move(choice.rejected);
  if (plan.points.empty()) return plan;
  const Paths paths = find_paths(plan.points);
  const Liveness liveness(program_, points_to_, effects_, paths.functions, paths.calls, paths.open);
  const Objects tested = under_test();
  for (const SafePoint& point : plan.points) {
    const Index f = program_.markers[point.marker].function;
    const Objects live = liveness.memory(liveness.at_marker(f, point.marker));
    plan.untold.push_back(untold(point));
    auto& saved = plan.live.emplace_back();
    auto& dead = plan.dead.emplace_back();
    auto& ahead = plan.ahead.emplace_back();
    for (unsigned object = 0; object < program_.objects.size(); ++object) {
      const ir::Object& o = program_.objects[object];
      const bool variable = o.storage == Storage::global && o.defined && !o.constant;
      if (live.test(object) && (variable || o.storage == Storage::heap)) saved.set(object);
      if (!live.test(object) && may_be_dead(object) && !tested.test(object) && plan.untold.back().empty())
        dead.set(object);
    }
    if (!plan.untold.back().empty()) continue;
    for (Ahead& one : overwrites_.at(f, point.marker, &liveness.at_exit(f)))
      if (worthwhile(one) && !target(one).intersects(tested)) ahead.push_back(std::move(one));
  }
  return plan;
}

}  // namespace

Plan make_plan_by_address(const ir::Program& program, const models::Models& models, const PointsTo& points_to,
                          const Effects& effects, const Traffic& traffic, Overwrites& overwrites) {
  return Planner(program, models, points_to, effects, overwrites)
      .run(choose_safe_points(program, points_to, traffic, overwrites));
}

}  // namespace cppc::analysis
