#include "costs.hpp"

#include <algorithm>

namespace cppc::analysis {

namespace {

/// Of a loop whose number of trips is not known.
constexpr double kTrips = 100;

}  // namespace

Costs::Costs(const ir::Program& program, const PointsTo& points_to)
    : program_(program),
      points_to_(points_to),
      costs_(program.functions.size(), -1),
      calls_(program.functions.size()),
      loops_(program.functions.size()) {
  for (ir::Index c = 0; c < program.calls.size(); ++c)
    if (program.calls[c].caller != ir::none) calls_[program.calls[c].caller].push_back(c);
  for (ir::Index l = 0; l < program.loops.size(); ++l) loops_[program.loops[l].function].push_back(l);
}

double Costs::of_calls(ir::Index f, ir::Index loop) {
  double cost = 0;
  for (const ir::Index c : calls_[f]) {
    if (program_.calls[c].loop != loop) continue;
    double most = 1;
    for (const ir::Index callee : points_to_.callees(c)) most = std::max(most, of_function(callee));
    cost += most;
  }
  return cost;
}

double Costs::of_function(ir::Index f) {
  const ir::Function& function = program_.functions[f];
  if (!function.defined) return 1;
  if (costs_[f] >= 0) return costs_[f];
  costs_[f] = 1;  // of a recursive call
  double cost = function.statements + of_calls(f, ir::none);
  for (const ir::Index l : loops_[f])
    if (program_.loops[l].parent == ir::none) cost += of_loop(l);
  return costs_[f] = cost;
}

double Costs::of_pass(ir::Index l) {
  const ir::Loop& loop = program_.loops[l];
  double once = loop.statements + of_calls(loop.function, l);
  for (const ir::Index inner : loops_[loop.function])
    if (program_.loops[inner].parent == l) once += of_loop(inner);
  return once;
}

double Costs::of_loop(ir::Index l) {
  const double trips = program_.loops[l].trips;
  return of_pass(l) * (trips > 0 ? trips : kTrips);
}

}  // namespace cppc::analysis
