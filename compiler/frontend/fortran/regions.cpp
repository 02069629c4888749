#include "regions.hpp"

#include <algorithm>

#include "nest.hpp"

namespace cppc::fortran {

using Kind = Expr::Kind;

bool find_variables(const Program& program, const Expr& e, std::set<Index>& variables) {
  if (e.kind == Kind::name) {
    variables.insert(e.symbol);
    return !program.symbols[e.symbol].array && !program.symbols[e.symbol].aliased;
  }
  if (e.kind == Kind::bound) {
    variables.insert(program.symbols[e.symbol].shape);
    return program.symbols[e.symbol].shape != none;
  }
  if (e.kind != Kind::constant && e.kind != Kind::operate && e.kind != Kind::element) return false;
  const bool element = e.kind == Kind::element;
  if (element && (e.parts.front() == nullptr || e.parts.front()->kind != Kind::name)) return false;
  if (element) variables.insert(e.parts.front()->symbol);
  return std::all_of(e.parts.begin() + (element ? 1 : 0), e.parts.end(),
                     [&](const ExprPtr& part) { return part != nullptr && find_variables(program, *part, variables); });
}

bool is_apart(const Expr& element, const Region& region) {
  if (element.kind != Kind::element || element.parts.size() != region.extents.size() + 1) return false;
  if (view(*element.parts.front()) != region.view) return false;
  for (std::size_t d = 0; d < region.extents.size(); ++d) {
    const auto at = value_of(element.parts[d + 1]);
    const auto low = value_of(region.extents[d].low), high = value_of(region.extents[d].high);
    if (at && low && high && (*at < *low || *at > *high)) return true;
  }
  return false;
}

bool jumps(const Statement& s) {
  using StatementKind = Statement::Kind;
  switch (s.kind) {
    case StatementKind::leave:
    case StatementKind::cycle:
    case StatementKind::jump:
    case StatementKind::end:
    case StatementKind::label:
      return true;
    default:
      return jumps(s.body) || std::ranges::any_of(s.cases, [](const Case& one) { return jumps(one.body); });
  }
}

bool jumps(const Statements& list) {
  return std::ranges::any_of(list, [](const Statement& s) { return jumps(s); });
}

std::vector<Region> regions_of(const Program& program, const Effects& effects, const Statement& loop,
                               const Values& before) {
  if (jumps(loop.body)) return {};
  return Nest(program, effects, loop, before).found();
}

std::optional<Region> region_of(const Program& program, const Effects& effects, const Statement& assignment) {
  const bool array =
      assignment.target->kind == Kind::name || (assignment.target->kind == Kind::element &&
                                                std::ranges::any_of(assignment.target->parts, [](const ExprPtr& part) {
                                                  return part != nullptr && part->kind == Kind::range;
                                                }));
  if (!array) return {};
  std::vector<Region> found = Nest(program, effects, assignment).found();
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

}  // namespace cppc::fortran
