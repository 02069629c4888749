#include "safe_points.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace cppc::analysis {

namespace {

/// Of a loop whose number of trips is not known.
constexpr double kTrips = 100;
/// Fewer are no time-step loop when there is another loop in it.
constexpr double kFewTrips = 4;
/// Shares of the program's whole cost: of a loop that communicates, of one that does not.
constexpr double kShare = 0.01, kQuietShare = 0.3;
/// Of the largest loop that communicates: smaller ones are not the time steps.
constexpr double kStartShare = 0.1;
/// Of the loop around it: of a loop that is the time-step loop rather than that one.
constexpr double kStepShare = 0.8;

class Chooser {
 public:
  Chooser(const ir::Program& program, const PointsTo& points_to, const Traffic& traffic, Overwrites& overwrites)
      : program_(program),
        points_to_(points_to),
        traffic_(traffic),
        overwrites_(overwrites),
        costs_(program.functions.size(), -1) {
    calls_.resize(program.functions.size());
    for (ir::Index c = 0; c < program.calls.size(); ++c)
      if (program.calls[c].caller != ir::none) calls_[program.calls[c].caller].push_back(c);
    loops_.resize(program.functions.size());
    for (ir::Index l = 0; l < program.loops.size(); ++l) loops_[program.loops[l].function].push_back(l);
  }

  Choice run();

 private:
  double cost_of_function(ir::Index f);
  double cost_of_loop(ir::Index loop);
  double cost_of_calls(ir::Index f, ir::Index loop);
  void visit(ir::Index f, const std::string& before);
  void consider(ir::Index loop, const std::string& before);
  void descend(ir::Index loop, const std::string& before);
  void take_steps_in(ir::Index loop);
  std::vector<ir::Index> inner_loops(ir::Index loop) const;
  std::size_t dead_arrays(ir::Index loop);
  void take_doubtful_loop();
  void take_quiet_loops();
  void take_forced_loops();
  void drop_inner();
  std::string one_sided(ir::Index loop, const std::string& before);
  std::string unsafe(ir::Index loop, const std::string& before);
  std::string unmatched_before(ir::Index f, ir::Index parent, unsigned order);
  std::string active_requests(ir::Index marker);
  std::string name(const Objects& objects) const;
  std::string at(ir::Index call) const;
  std::set<ir::Index> reached_from(ir::Index loop) const;
  void take(ir::Index loop, const std::string& obstacle);

  const ir::Program& program_;
  const PointsTo& points_to_;
  const Traffic& traffic_;
  Overwrites& overwrites_;
  std::vector<double> costs_;
  std::vector<std::vector<ir::Index>> calls_, loops_;
  std::vector<ir::Index> quiet_;
  std::optional<Rejected> doubtful_;
  std::map<ir::Index, Objects> active_at_entry_;
  std::set<ir::Index> visited_;
  std::set<ir::Index> steps_;  ///< chosen inside another chosen one
  double total_ = 1;
  Choice choice_;
};

double Chooser::cost_of_calls(ir::Index f, ir::Index loop) {
  double cost = 0;
  for (const ir::Index c : calls_[f]) {
    if (program_.calls[c].loop != loop) continue;
    double most = 1;
    for (const ir::Index callee : points_to_.callees(c)) most = std::max(most, cost_of_function(callee));
    cost += most;
  }
  return cost;
}

double Chooser::cost_of_function(ir::Index f) {
  const ir::Function& function = program_.functions[f];
  if (!function.defined) return 1;
  if (costs_[f] >= 0) return costs_[f];
  costs_[f] = 1;  // of a recursive call
  double cost = function.statements + cost_of_calls(f, ir::none);
  for (const ir::Index l : loops_[f])
    if (program_.loops[l].parent == ir::none) cost += cost_of_loop(l);
  return costs_[f] = cost;
}

double Chooser::cost_of_loop(ir::Index l) {
  const ir::Loop& loop = program_.loops[l];
  double once = loop.statements + cost_of_calls(loop.function, l);
  for (const ir::Index inner : loops_[loop.function])
    if (program_.loops[inner].parent == l) once += cost_of_loop(inner);
  return once * (loop.trips > 0 ? loop.trips : kTrips);
}

std::string Chooser::at(ir::Index call) const {
  const ir::Call& c = program_.calls[call];
  return (c.name.empty() ? "the call" : c.name + "()") + " at " + program_.files[c.where.file] + ":" +
         std::to_string(c.where.line);
}

std::string Chooser::name(const Objects& objects) const {
  const auto object = static_cast<ir::Node>(objects.find_first());
  const auto found = program_.names.find(object);
  return found != program_.names.end() ? found->second : "a request";
}

/// Messages of what comes before `order` in the same loop or function that have no counterpart there.
std::string Chooser::unmatched_before(ir::Index f, ir::Index parent, unsigned order) {
  const unsigned begin = parent == ir::none ? 0 : program_.loops[parent].begin;
  const ir::Index call = traffic_.within(f, begin, order).unmatched();
  return call == ir::none ? std::string() : at(call) + " has no counterpart before the loop";
}

std::string Chooser::active_requests(ir::Index marker) {
  const Objects active = traffic_.active_at(marker, active_at_entry_[program_.markers[marker].function]);
  return active.empty() ? std::string() : "the request '" + name(active) + "' may be active at its start";
}

/// A message of which only one end is there: other ranks are elsewhere in the program then.
std::string Chooser::one_sided(ir::Index l, const std::string& before) {
  const ir::Loop& loop = program_.loops[l];
  if (!before.empty()) return before;
  const ir::Index call = traffic_.within(loop.function, loop.begin, loop.end + 1).unmatched();
  if (call != ir::none) return at(call) + " has no counterpart in the loop";
  return unmatched_before(loop.function, loop.parent, loop.begin);
}

std::string Chooser::unsafe(ir::Index l, const std::string& before) {
  const std::string why = one_sided(l, before);
  return !why.empty() ? why : active_requests(program_.loops[l].marker);
}

void Chooser::take(ir::Index l, const std::string& obstacle) {
  const ir::Loop& loop = program_.loops[l];
  SafePoint point{.marker = loop.marker, .loop = l, .forced = loop.forced};
  if (!obstacle.empty()) {
    point.proved = false;
    point.reason = (loop.forced ? "forced by a pragma although " : "taken for want of a better one although ") +
                   obstacle + ": the runtime checks";
  } else {
    const Messages messages = traffic_.within(loop.function, loop.begin, loop.end + 1);
    point.reason = !messages.any()
                       ? "no communication in the loop; every message before it has its counterpart there"
                       : "every send in the loop and before it has its receive there, no request is active at "
                         "its start, collective operations are complete";
  }
  choice_.points.push_back(point);
}

void Chooser::consider(ir::Index l, const std::string& before) {
  const ir::Loop& loop = program_.loops[l];
  const std::string obstacle = unsafe(l, before);
  if (loop.forced) {
    if (!loop.obstacle.empty())
      choice_.rejected.push_back({l, loop.obstacle});
    else
      take(l, obstacle);
    return;
  }
  const double share = cost_of_loop(l) / total_;
  const bool communicates = traffic_.within(loop.function, loop.begin, loop.end + 1).any();
  if (loop.forbidden) return descend(l, obstacle);
  if (!communicates) {
    if (share >= kQuietShare && obstacle.empty() && loop.obstacle.empty()) quiet_.push_back(l);
    return;
  }
  if (share < kShare) return;
  const bool few = loop.trips > 0 && loop.trips <= kFewTrips;
  if (obstacle.empty() && loop.obstacle.empty() && !few) {
    take(l, {});
    return take_steps_in(l);
  }
  const auto before_descent = choice_.points.size();
  descend(l, before);
  if (choice_.points.size() != before_descent) return;
  if (obstacle.empty() && loop.obstacle.empty()) return take(l, {});
  const bool larger = !doubtful_ || cost_of_loop(l) >= cost_of_loop(doubtful_->loop);
  if (larger && loop.obstacle.empty() && !few && one_sided(l, before).empty()) doubtful_ = {l, obstacle};
  choice_.rejected.push_back({l, loop.obstacle.empty() ? obstacle : loop.obstacle});
}

void Chooser::descend(ir::Index l, const std::string& before) {
  const ir::Loop& loop = program_.loops[l];
  for (const ir::Index inner : loops_[loop.function])
    if (program_.loops[inner].parent == l) consider(inner, before);
  for (const ir::Index c : calls_[loop.function]) {
    if (program_.calls[c].loop != l) continue;
    for (const ir::Index callee : points_to_.callees(c)) {
      active_at_entry_[callee] |= traffic_.active_before(c, active_at_entry_[loop.function]);
      visit(callee, !before.empty() ? before : unmatched_before(loop.function, l, program_.calls[c].order));
    }
  }
}

void Chooser::visit(ir::Index f, const std::string& before) {
  if (!program_.functions[f].defined || !visited_.insert(f).second) return;
  for (const ir::Index l : loops_[f])
    if (program_.loops[l].parent == ir::none) consider(l, before);
  for (const ir::Index c : calls_[f]) {
    if (program_.calls[c].loop != ir::none) continue;
    for (const ir::Index callee : points_to_.callees(c)) {
      if (!program_.functions[callee].defined) continue;
      active_at_entry_[callee] |= traffic_.active_before(c, active_at_entry_[f]);
      visit(callee, !before.empty() ? before : unmatched_before(f, ir::none, program_.calls[c].order));
    }
  }
}

/// Functions that run inside a loop.
std::set<ir::Index> Chooser::reached_from(ir::Index l) const {
  const ir::Loop& loop = program_.loops[l];
  std::set<ir::Index> reached;
  std::vector<ir::Index> work;
  const auto follow = [&](ir::Index c) {
    for (const ir::Index callee : points_to_.callees(c))
      if (reached.insert(callee).second) work.push_back(callee);
  };
  for (const ir::Index c : calls_[loop.function])
    if (program_.calls[c].order > loop.begin && program_.calls[c].order <= loop.end) follow(c);
  while (!work.empty()) {
    const ir::Index f = work.back();
    work.pop_back();
    for (const ir::Index c : calls_[f]) follow(c);
  }
  return reached;
}

/// Loops directly in the loop, and those of functions that it calls.
std::vector<ir::Index> Chooser::inner_loops(ir::Index l) const {
  std::vector<ir::Index> inner;
  for (const ir::Index other : loops_[program_.loops[l].function])
    if (program_.loops[other].parent == l) inner.push_back(other);
  for (const ir::Index c : calls_[program_.loops[l].function]) {
    if (program_.calls[c].loop != l) continue;
    for (const ir::Index callee : points_to_.callees(c))
      for (const ir::Index other : loops_[callee])
        if (program_.loops[other].parent == ir::none) inner.push_back(other);
  }
  return inner;
}

std::size_t Chooser::dead_arrays(ir::Index l) {
  return overwrites_.at(program_.loops[l].function, program_.loops[l].marker, nullptr).size();
}

/// A loop around the time steps (repetitions, phases) may be passed once in a run. When one loop that communicates does
/// most of its work, that one gets a safe point, too, unless the image would have to hold most of the arrays that
/// need not be saved at the outer one.
void Chooser::take_steps_in(ir::Index outer) {
  for (const ir::Index l : inner_loops(outer)) {
    const ir::Loop& loop = program_.loops[l];
    const double once = cost_of_loop(outer) / (program_.loops[outer].trips > 0 ? program_.loops[outer].trips : kTrips);
    if (cost_of_loop(l) < kStepShare * once || loop.forbidden || !loop.obstacle.empty()) continue;
    if (loop.trips > 0 && loop.trips <= kFewTrips) continue;
    if (!traffic_.within(loop.function, loop.begin, loop.end + 1).any() || !unsafe(l, {}).empty()) continue;
    if (2 * dead_arrays(l) < dead_arrays(outer)) continue;
    take(l, {});
    steps_.insert(l);
    take_steps_in(l);
  }
}

/// What runs inside a chosen loop needs no safe point of its own, unless the user wants it.
void Chooser::drop_inner() {
  std::set<ir::Index> inside;
  for (const SafePoint& point : choice_.points)
    for (const ir::Index f : reached_from(point.loop))
      if (f != program_.loops[point.loop].function) inside.insert(f);
  std::erase_if(choice_.points, [&](const SafePoint& point) {
    return !point.forced && !steps_.contains(point.loop) && inside.contains(program_.loops[point.loop].function);
  });
}

/// The largest loop that communicates, when the safe ones are nothing beside it and only its requests cannot be shown
/// to be complete: the ranks stop there if nothing is in flight, which they look for, and otherwise go on to its next
/// pass.
void Chooser::take_doubtful_loop() {
  if (!doubtful_) return;
  const double least = kStartShare * cost_of_loop(doubtful_->loop);
  if (std::ranges::any_of(choice_.points, [&](const SafePoint& point) { return cost_of_loop(point.loop) >= least; }))
    return;
  std::erase_if(choice_.rejected, [this](const Rejected& rejected) { return rejected.loop == doubtful_->loop; });
  take(doubtful_->loop, doubtful_->why);
}

/// Loops without communication, in programs that only compute.
void Chooser::take_quiet_loops() {
  for (const ir::Index l : quiet_)
    if (choice_.points.empty() || cost_of_loop(l) / total_ > 0.5) take(l, {});
}

/// Those that the walk from main() did not come by, inside chosen loops mostly.
void Chooser::take_forced_loops() {
  for (ir::Index l = 0; l < program_.loops.size(); ++l) {
    const ir::Loop& loop = program_.loops[l];
    const auto same = [&](const auto& other) { return other.loop == l; };
    if (loop.forced && std::ranges::none_of(choice_.points, same) && std::ranges::none_of(choice_.rejected, same))
      consider(l, {});
  }
}

Choice Chooser::run() {
  const ir::Index main = program_.function("main");
  if (main == ir::none) return {};
  total_ = std::max(1.0, cost_of_function(main));
  visit(main, {});
  drop_inner();
  take_doubtful_loop();
  take_quiet_loops();
  drop_inner();
  take_forced_loops();
  return std::move(choice_);
}

}  // namespace

Choice choose_safe_points(const ir::Program& program, const PointsTo& points_to, const Traffic& traffic,
                          Overwrites& overwrites) {
  return Chooser(program, points_to, traffic, overwrites).run();
}

}  // namespace cppc::analysis
