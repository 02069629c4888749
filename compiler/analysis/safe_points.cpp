#include "safe_points.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "costs.hpp"
#include "in_flight.hpp"
#include "program_structure.hpp"

namespace cppc::analysis {

namespace {

/// Fewer are no time-step loop when there is another loop in it.
constexpr double kFewTrips = 4;
/// Shares of the program's whole cost: of a loop that communicates, of one that does not.
constexpr double kShare = 0.01, kQuietShare = 0.3;

/// Of the statements that the program reaches: a loop that reaches so many is not small, whatever it seems to cost.
constexpr double kBroad = 0.1;

/// Of the largest loop that communicates: smaller ones are not the time steps.
constexpr double kStartShare = 0.1;
/// Of the loop around it: of the loops that are the time-step loops rather than that one, phases or alternatives. Of
/// the largest of them: smaller ones are none.
constexpr double kStepShare = 0.8, kPhaseShare = 0.5;
/// Of another loop's cost: of loops whose guessed costs do not tell them apart.
constexpr double kAlike = 0.1;

/// Bytes of an array that does not matter in an image.
constexpr std::uint64_t kSmallArray = 65536;

class Chooser {
 public:
  Chooser(const ir::Program& program, const PointsTo& points_to, const Traffic& traffic, Overwrites& overwrites)
      : program_(program),
        points_to_(points_to),
        traffic_(traffic),
        overwrites_(overwrites),
        costs_(program, points_to),
        structure_(program, points_to),
        in_flight_(program, traffic) {}

  Choice run();

 private:
  /// A loop inside another one.
  struct Inner {
    ir::Index loop = ir::none;
    ir::Index call = ir::none;  ///< that leads to its function; none when it is in the same one
    unsigned calls = 0;         ///< from the outer loop's function to its own
    std::string before;         ///< why messages may be in flight when the function is called; empty when none are
  };

  void visit(ir::Index f, const std::string& before);
  void consider(ir::Index loop, const std::string& before);
  void descend(ir::Index loop, const std::string& before);
  void take_steps_in(ir::Index loop, bool doubtful = false);
  bool works_in_loops(ir::Index f);
  std::vector<Inner> inner_loops(ir::Index loop, bool doubtful);
  bool is_alternative(const Inner& one, const Inner& other);
  std::vector<Inner> main_loops_in(ir::Index loop, bool doubtful);
  std::size_t dead_arrays(ir::Index loop);
  void take_doubtful_loop();
  void take_quiet_loops();
  void take_forced_loops();
  [[nodiscard]] double communication();
  void drop_inner();
  std::string obstacle_of(ir::Index loop) const;
  void find_teams();
  void visit_called_back();
  void enter_callees(ir::Index call, const std::string& why);
  bool outweighs(ir::Index loop, ir::Index other);
  void take(ir::Index loop, const std::string& obstacle);

  const ir::Program& program_;
  const PointsTo& points_to_;
  const Traffic& traffic_;
  Overwrites& overwrites_;
  Costs costs_;
  const ProgramStructure structure_;
  InFlight in_flight_;
  std::vector<ir::Index> quiet_;
  std::optional<Rejected> doubtful_, lopsided_;
  std::set<ir::Index> visited_;
  std::set<ir::Index> steps_;     ///< chosen inside another chosen one
  std::set<ir::Index> in_teams_;  ///< functions that several threads may run
  double total_ = 1, communication_ = 1, statements_ = 0;
  Choice choice_;
};

/// Why the loop gets no code, whatever it does.
std::string Chooser::obstacle_of(ir::Index l) const {
  const ir::Loop& loop = program_.loops[l];
  if (!loop.obstacle.empty() || !in_teams_.contains(loop.function)) return loop.obstacle;
  return "several threads may run this function";
}

/// Functions that are called in a construct of OpenMP, and those that they call.
void Chooser::find_teams() {
  std::vector<ir::Index> work;
  const auto follow = [&](ir::Index c) {
    for (const ir::Index callee : points_to_.callees(c))
      if (in_teams_.insert(callee).second) work.push_back(callee);
  };
  for (ir::Index c = 0; c < program_.calls.size(); ++c)
    if (program_.calls[c].in_team) follow(c);
  while (!work.empty()) {
    const ir::Index f = work.back();
    work.pop_back();
    std::ranges::for_each(structure_.calls_in(f), follow);
  }
}

void Chooser::take(ir::Index l, const std::string& obstacle) {
  const ir::Loop& loop = program_.loops[l];
  SafePoint point{.marker = loop.marker, .loop = l, .forced = loop.forced};
  if (!obstacle.empty()) {
    point.proved = false;
    point.reason = (loop.forced ? "forced by a pragma although " : "taken for want of a better one although ") +
                   obstacle + ": what is in flight there is taken along";
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
  const std::string obstacle = in_flight_.unsafe(l, before), in_the_way = obstacle_of(l);
  if (loop.forced) {
    if (!in_the_way.empty())
      choice_.rejected.push_back({l, in_the_way});
    else
      take(l, obstacle);
    return;
  }
  const double share = costs_.of_loop(l) / total_;
  const bool communicates = traffic_.within(loop.function, loop.begin, loop.end + 1).any();
  if (loop.forbidden) return descend(l, obstacle);
  if (!communicates) {
    if (share >= kQuietShare && obstacle.empty() && in_the_way.empty()) quiet_.push_back(l);
    return;
  }
  // Costs are guesses, those of a setup before it may be too high: what reaches much of the program is none.
  if (costs_.of_loop(l) < kShare * std::min(total_, communication_) &&
      structure_.statements_reached_from(l) < kBroad * statements_)
    return;
  const bool few = loop.trips > 0 && loop.trips <= kFewTrips;
  if (obstacle.empty() && in_the_way.empty() && !few) {
    take(l, {});
    return take_steps_in(l);
  }
  const auto before_descent = choice_.points.size();
  descend(l, before);
  if (choice_.points.size() != before_descent) return;
  if (obstacle.empty() && in_the_way.empty()) return take(l, {});
  auto& stopgap = in_flight_.one_sided(l, before).empty() ? doubtful_ : lopsided_;
  const bool larger = !stopgap || outweighs(l, stopgap->loop);
  if (larger && in_the_way.empty() && !few) stopgap = {l, obstacle};
  choice_.rejected.push_back({l, in_the_way.empty() ? obstacle : in_the_way});
}

/// Whether it is rather the time-step loop than the other. Costs are guesses: where they are alike, it is the one that
/// does more of what the program can do.
bool Chooser::outweighs(ir::Index l, ir::Index other) {
  const double ratio = costs_.of_loop(l) / costs_.of_loop(other);
  if (ratio < kAlike || ratio > 1 / kAlike) return ratio > 1;
  return structure_.statements_reached_from(l) >= structure_.statements_reached_from(other);
}

void Chooser::descend(ir::Index l, const std::string& before) {
  const ir::Loop& loop = program_.loops[l];
  for (const ir::Index inner : structure_.loops_in(loop.function))
    if (program_.loops[inner].parent == l) consider(inner, before);
  for (const ir::Index c : structure_.calls_in(loop.function)) {
    if (program_.calls[c].loop != l) continue;
    const std::string why =
        !before.empty() ? before : in_flight_.unmatched_before(loop.function, l, program_.calls[c].order);
    enter_callees(c, why);
  }
}

void Chooser::enter_callees(ir::Index c, const std::string& why) {
  const Objects active = in_flight_.active_before(c);  // what a call of a virtual function may lead to is many
  for (const ir::Index callee : points_to_.callees(c)) {
    if (!program_.functions[callee].defined) continue;
    in_flight_.enter(callee, active);
    visit(callee, why);
  }
}

void Chooser::visit(ir::Index f, const std::string& before) {
  if (!program_.functions[f].defined || !visited_.insert(f).second) return;
  for (const ir::Index l : structure_.loops_in(f))
    if (program_.loops[l].parent == ir::none) consider(l, before);
  for (const ir::Index c : structure_.calls_in(f)) {
    if (program_.calls[c].loop != ir::none) continue;
    const std::string why =
        !before.empty() ? before : in_flight_.unmatched_before(f, ir::none, program_.calls[c].order);
    enter_callees(c, why);
  }
}

/// Where main() leaves all the work to code from outside, an interpreter say: what that calls back.
void Chooser::visit_called_back() {
  if (!choice_.points.empty() || doubtful_ || lopsided_) return;
  for (const unsigned known : points_to_[program_.unknown]) {
    const ir::Object& object = program_.objects[known];
    if (object.storage == ir::Storage::function && object.function != ir::none)
      visit(object.function, "it is called by code outside the program");
  }
}

/// Whether it does most of its work in a loop of its own.
bool Chooser::works_in_loops(ir::Index f) {
  const double all = costs_.of_function(f);
  return std::ranges::any_of(structure_.loops_in(f), [&](ir::Index l) {
    return program_.loops[l].parent == ir::none && costs_.of_loop(l) >= kStepShare * all;
  });
}

/// Loops directly in the loop, and the outermost ones of functions that it calls; and of those that they call, once the
/// memory to work on is allocated on the way: then the loop is no time step, but a driver of whole runs. A doubtful one
/// may be that, too, where functions that it calls leave most of their work to others.
std::vector<Chooser::Inner> Chooser::inner_loops(ir::Index l, bool doubtful) {
  struct Place {
    ir::Index function, around;
    Inner in;
    bool driven = false;
  };
  std::vector<Inner> inner;
  std::set<ir::Index> seen;
  std::vector<Place> work{{program_.loops[l].function, l, {}, false}};
  while (!work.empty()) {
    const Place place = std::move(work.back());
    const ir::Index f = place.function;
    work.pop_back();
    for (const ir::Index other : structure_.loops_in(f))
      if (program_.loops[other].parent == place.around)
        inner.push_back({other, place.in.call, place.in.calls, place.in.before});
    const bool driven = place.driven || (place.in.calls > 0 && structure_.allocates(f));
    if (place.in.calls > 0 && !driven && (!doubtful || works_in_loops(f))) continue;
    for (const ir::Index c : structure_.calls_in(f)) {
      if (program_.calls[c].loop != place.around) continue;
      const std::string before = !place.in.before.empty()
                                     ? place.in.before
                                     : in_flight_.unmatched_before(f, place.around, program_.calls[c].order);
      for (const ir::Index callee : points_to_.callees(c)) {
        in_flight_.enter(callee, in_flight_.active_before(c));
        if (seen.insert(callee).second)
          work.push_back({callee, ir::none, {ir::none, c, place.in.calls + 1, before}, driven});
      }
    }
  }
  return inner;
}

/// Arrays that need not be saved at the loop, small variables aside.
std::size_t Chooser::dead_arrays(ir::Index l) {
  const auto is_small = [this](unsigned object) {
    const std::uint64_t bytes = program_.objects[object].bytes;
    return bytes > 0 && bytes < kSmallArray;
  };
  const auto ahead = overwrites_.at(program_.loops[l].function, program_.loops[l].marker, nullptr);
  return static_cast<std::size_t>(std::ranges::count_if(ahead, [&](const Ahead& one) {
    const ir::Target& target = program_.overwrites[one.overwrite].target;
    if (target.object != ir::nothing) return !is_small(target.object);
    bool small = true;
    for (const unsigned object : points_to_[target.pointer]) small = small && is_small(object);
    return !small;
  }));
}

/// Whether the function of `other` is called in place of that of `one`, and does most of its work in this loop.
bool Chooser::is_alternative(const Inner& one, const Inner& other) {
  if (one.call == ir::none || other.call == ir::none || one.call == other.call) return false;
  if (program_.calls[one.call].caller != program_.calls[other.call].caller) return false;
  return costs_.of_loop(other.loop) >= kStepShare * costs_.of_function(program_.loops[other.loop].function) &&
         !structure_.follows(one.call, other.call) && !structure_.follows(other.call, one.call);
}

/// Those that do most of the work of a pass through the loop, and what is done in their place.
std::vector<Chooser::Inner> Chooser::main_loops_in(ir::Index outer, bool doubtful) {
  const double once = costs_.of_pass(outer);
  const std::vector<Inner> inner = inner_loops(outer, doubtful);
  const auto main =
      std::ranges::find_if(inner, [&](const Inner& one) { return costs_.of_loop(one.loop) >= kStepShare * once; });
  std::vector<Inner> loops;
  if (main == inner.end()) return loops;
  for (const Inner& one : inner)
    if (one.loop == main->loop || is_alternative(*main, one)) loops.push_back(one);
  return loops;
}

/// A loop around the time steps (repetitions, phases) may be passed once in a run. When one loop that communicates does
/// most of its work, that one gets a safe point, too, unless the image would have to hold most of the arrays that need
/// not be saved at the outer one. `doubtful`: the outer one was taken for want of a better one,
/// so may this one be, if all ranks are likely to pass through it equally often.
void Chooser::take_steps_in(ir::Index outer, bool doubtful) {
  for (const Inner& inner : main_loops_in(outer, doubtful)) {
    const ir::Index l = inner.loop;
    const ir::Loop& loop = program_.loops[l];
    if (loop.forbidden || !obstacle_of(l).empty() || (loop.trips > 0 && loop.trips <= kFewTrips)) continue;
    const Messages messages = traffic_.within(loop.function, loop.begin, loop.end + 1);
    const std::string obstacle = in_flight_.unsafe(l, inner.before);
    if (!messages.any() || (!doubtful && !obstacle.empty())) continue;
    if (doubtful && (!messages.collective || !in_flight_.one_sided(l, inner.before).empty())) continue;
    if (2 * dead_arrays(l) < dead_arrays(outer)) continue;
    if (!steps_.insert(l).second) continue;
    std::erase_if(choice_.rejected, [l](const Rejected& rejected) { return rejected.loop == l; });
    take(l, obstacle);
    if (inner.calls <= 1) take_steps_in(l, doubtful);  // what a driver leads to has been found
  }
}

/// What runs inside a chosen loop needs no safe point of its own, unless the user wants it.
void Chooser::drop_inner() {
  std::set<ir::Index> inside;
  for (const SafePoint& point : choice_.points)
    for (const ir::Index f : structure_.reached_from(point.loop))
      if (f != program_.loops[point.loop].function) inside.insert(f);
  std::erase_if(choice_.points, [&](const SafePoint& point) {
    return !point.forced && !steps_.contains(point.loop) && inside.contains(program_.loops[point.loop].function);
  });
}

/// The largest loop that communicates, when the safe ones are nothing beside it and only its requests cannot be shown
/// to be complete, or else its messages to have both ends: what is in flight there is taken along.
void Chooser::take_doubtful_loop() {
  if (!doubtful_) doubtful_ = std::exchange(lopsided_, std::nullopt);
  if (!doubtful_) return;
  const double least = kStartShare * costs_.of_loop(doubtful_->loop);
  if (std::ranges::any_of(choice_.points, [&](const SafePoint& point) { return costs_.of_loop(point.loop) >= least; }))
    return;
  std::erase_if(choice_.rejected, [this](const Rejected& rejected) { return rejected.loop == doubtful_->loop; });
  take(doubtful_->loop, doubtful_->why);
  take_steps_in(doubtful_->loop, true);
}

/// Loops without communication, in programs that only compute.
void Chooser::take_quiet_loops() {
  for (const ir::Index l : quiet_)
    if (choice_.points.empty() || costs_.of_loop(l) / total_ > 0.5) take(l, {});
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

/// What the largest loop that communicates costs. Beside what is done once, loops that nobody knows the length of, it
/// may look like nothing.
double Chooser::communication() {
  double most = 1;
  for (ir::Index l = 0; l < program_.loops.size(); ++l) {
    const ir::Loop& loop = program_.loops[l];
    if (traffic_.within(loop.function, loop.begin, loop.end + 1).any()) most = std::max(most, costs_.of_loop(l));
  }
  return most;
}

Choice Chooser::run() {
  const ir::Index main = program_.entry();
  if (main == ir::none) return {};
  total_ = std::max(1.0, costs_.of_function(main));
  communication_ = communication();
  statements_ = structure_.statements_of_program();
  find_teams();
  visit(main, {});
  visit_called_back();
  drop_inner();
  take_doubtful_loop();
  if (!program_.by_address) take_quiet_loops();  // which need not be passes that all ranks make
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
