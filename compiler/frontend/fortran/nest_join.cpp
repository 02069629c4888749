#include <algorithm>

#include "nest.hpp"
#include "polynomial.hpp"

namespace cppc::fortran {

using Kind = Expr::Kind;

bool Nest::same(const Extent& one, const Extent& other) const {
  const std::string low = text(program_, *one.low), high = text(program_, *one.high);
  return !low.empty() && !high.empty() && low == text(program_, *other.low) && high == text(program_, *other.high) &&
         one.variable == other.variable && one.shift == other.shift;
}

/// Two writes in the same passes that differ in one subscript, where they are neighbours: as if they were one.
std::optional<Write> Nest::join(const Write& one, const Write& other) const {
  if (one.region.symbol != other.region.symbol || one.region.view != other.region.view || one.loops != other.loops ||
      one.at != other.at)
    return {};
  std::optional<std::size_t> differs;
  for (std::size_t d = 0; d < one.region.extents.size(); ++d) {
    if (same(one.region.extents[d], other.region.extents[d])) continue;
    if (differs) return {};
    differs = d;
  }
  if (!differs) return {};
  const Extent &first = one.region.extents[*differs], &second = other.region.extents[*differs];
  for (const ExprPtr& e : {first.low, first.high, second.low, second.high})
    if (e->kind != Kind::constant) return {};
  if (first.variable != none || second.variable != none || first.high->value + 1 != second.low->value) return {};
  Write made = one;
  made.region.extents[*differs].high = second.high;
  made.region.depends.insert(other.region.depends.begin(), other.region.depends.end());
  const auto append = [](auto& list, const auto& more) { list.insert(list.end(), more.begin(), more.end()); };
  append(made.region.ordered, other.region.ordered);
  append(made.region.positive, other.region.positive);
  made.position = std::max(one.position, other.position);
  return made;
}

/// A write before a loop, of what lies right before the first pass of a write in the loop.
std::optional<Write> Nest::with_head(const Write& head, const Write& rest) const {
  if (head.region.symbol != rest.region.symbol || head.region.view != rest.region.view || head.head || rest.head)
    return {};
  if (head.loops.size() + 1 != rest.loops.size() || head.position > rest.position ||
      !std::equal(head.loops.begin(), head.loops.end(), rest.loops.begin()))
    return {};
  if (rest.loops.back()->step != nullptr && !is(rest.loops.back()->step, 1)) return {};  // from the other end
  const Index variable = rest.loops.back()->variable;
  const auto at = rest.at.find(variable);
  if (at == rest.at.end()) return {};
  for (std::size_t d = 0; d < rest.region.extents.size(); ++d)
    if (d != at->second && !same(head.region.extents[d], rest.region.extents[d])) return {};
  const Extent &first = head.region.extents[at->second], &others = rest.region.extents[at->second];
  if (others.variable != variable || first.variable != none || !always_equal(program_, *first.low, *first.high) ||
      !always_equal(program_, *operate("+", first.high, constant(1)), *others.low))
    return {};
  Write made = rest;
  made.head = Write::Head{head.position, variable, others.shift};
  made.region.extents[at->second] = {first.low, others.high};
  made.region.depends.insert(head.region.depends.begin(), head.region.depends.end());
  made.region.ordered.insert(made.region.ordered.end(), head.region.ordered.begin(), head.region.ordered.end());
  made.region.positive.insert(made.region.positive.end(), head.region.positive.begin(), head.region.positive.end());
  return made;
}

/// What some of them make up together.
std::vector<Write> Nest::joined(const std::vector<Write>& parts) const {
  std::vector<Write> made;
  for (const Write& start : parts) {
    std::optional<Write> all = start;
    std::size_t count = 1;
    for (bool grew = true; grew; count += grew ? 1 : 0) {
      grew = false;
      for (const Write& next : parts)
        if (auto both = join(*all, next); both && !grew) {
          all = std::move(both);
          grew = true;
        }
    }
    if (count > 1) made.push_back(std::move(*all));
  }
  return made;
}

std::vector<Write> Nest::together() const {
  std::vector<Write> made;
  for (const Write& head : writes_)
    for (const Write& rest : writes_)
      if (auto both = with_head(head, rest)) made.push_back(std::move(*both));
  // Rows first, then those that make up a plane: what is larger is looked at first.
  for (std::vector<Write> parts = writes_; !parts.empty();) {
    parts = joined(parts);
    made.insert(made.begin(), parts.begin(), parts.end());
  }
  return made;
}

}  // namespace cppc::fortran
