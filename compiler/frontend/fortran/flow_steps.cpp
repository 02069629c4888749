// What holds before a step, by what holds after it.

#include <algorithm>

#include "flow_graph.hpp"

namespace cppc::fortran {

using Kind = Expr::Kind;
using Storage = Symbol::Storage;

namespace {

/// Links of a way, and overwrites of an array that it is worth to name.
constexpr std::size_t kMostLinks = 6, kMostOverwrites = 16;

}  // namespace

void meet(Fate& one, const Fate& other) {
  one.live |= other.live;
  one.passed |= other.passed;
  one.by.insert(other.by.begin(), other.by.end());
  if (one.live || one.by.size() > kMostOverwrites) one = {.live = true};
}

bool intersect(const std::set<Index>& one, const std::set<Index>& other) {
  return std::ranges::any_of(one, [&](Index index) { return other.contains(index); });
}

/// What holds before a branch. Where an array is live on one of the ways only, whether it is taken is known at run
/// time.
void Flow::decide(const ExprPtr& condition, Fates& then, const Fates& otherwise) {
  for (const auto& [symbol, fate] : otherwise)
    if (fate.live && !then[symbol].live) then[symbol] = guarded(then[symbol], condition, true, symbol);
  for (auto& [symbol, fate] : then) {
    const auto other = otherwise.find(symbol);
    const Fate& same = other != otherwise.end() ? other->second : Fate{};
    if (same.live) continue;
    if (fate.live)
      fate = guarded(same, condition, false, symbol);
    else
      meet(fate, same);
  }
  for (const auto& [symbol, fate] : otherwise)
    if (!then.contains(symbol)) then[symbol] = fate;
}

Fate Flow::guarded(const Fate& fate, const ExprPtr& condition, bool holds, Index symbol) {
  Fate made = fate;
  Overwritten guard{.condition = condition, .holds = holds, .symbol = symbol, .links = {}, .depends = {}};
  if (!find_variables(program_, *condition, guard.depends)) return {.live = true};
  made.by.insert(number_of(std::move(guard)));
  return made;
}

bool Flow::depends_on(const Fate& fate, const std::set<Index>& changed) const {
  return std::ranges::any_of(fate.by,
                             [&](std::size_t number) { return intersect(overwritten_[number].depends, changed); });
}

void Flow::change(Index symbol, Fates& fates) {
  for (auto& [array, fate] : fates)
    if (depends_on(fate, {symbol})) fate = {.live = true};
}

void Flow::assign(Index symbol, const ExprPtr& value, Fates& fates) {
  for (auto& [array, fate] : fates) {
    if (!depends_on(fate, {symbol})) continue;
    std::set<std::size_t> numbers;
    for (const std::size_t number : fate.by) {
      const auto made = overwritten_[number].depends.contains(symbol)
                            ? through(number, {.variable = symbol, .value = value})
                            : std::optional(number);
      if (made) numbers.insert(*made);
      fate.live |= !made;
    }
    fate.by = std::move(numbers);
    if (fate.live) fate = {.live = true};
  }
}

std::size_t Flow::number_of(Overwritten one) {
  const auto [found, fresh] =
      numbers_.try_emplace({one.region, one.condition.get(), one.holds, one.symbol, one.links}, overwritten_.size());
  if (fresh) overwritten_.push_back(std::move(one));
  return found->second;
}

/// As it is said before a call or an assignment; nothing when that cannot be said.
std::optional<std::size_t> Flow::through(std::size_t number, const Link& link) {
  Overwritten made = overwritten_[number];
  if (made.links.size() >= kMostLinks) return {};
  std::set<Index> depends;
  if (link.call == nullptr) {
    depends = made.depends;
    depends.erase(link.variable);
    if (!find_variables(program_, *link.value, depends)) return {};
  } else {
    const auto& dummies = program_.procedures[link.callee].dummies;
    const auto argument_of = [&](Index symbol) -> std::optional<ExprPtr> {
      const auto dummy = std::ranges::find(dummies, symbol);
      if (dummy == dummies.end()) return std::nullopt;
      const auto i = static_cast<std::size_t>(dummy - dummies.begin());
      return i < link.call->parts.size() ? link.call->parts[i] : nullptr;
    };
    const auto depend_on = [&](const ExprPtr& argument) {
      if (argument == nullptr) return false;
      if (argument->kind != Kind::name) return find_variables(program_, *argument, depends);
      depends.insert(argument->symbol);
      return true;
    };
    const auto depend_on_shape = [&](const ExprPtr& argument) {  // which an array of assumed shape takes over
      if (argument == nullptr || argument->kind != Kind::name) return false;
      const auto& bounds = program_.symbols[view(*argument)].bounds;
      return !bounds.empty() && std::ranges::all_of(bounds, [&](const Bounds& one) {
        return one.lower != nullptr && one.upper != nullptr && find_variables(program_, *one.lower, depends) &&
               find_variables(program_, *one.upper, depends);
      });
    };
    for (const Index symbol : made.depends) {
      if (const Index array = program_.symbols[symbol].shape_of; array != none && argument_of(array)) {
        if (!depend_on_shape(*argument_of(array))) return {};
        continue;
      }
      const auto argument = argument_of(symbol);
      if (argument && !depend_on(*argument)) return {};
      if (argument) continue;
      if (own(symbol, link.callee)) return {};
      depends.insert(symbol);
    }
    if (const auto array = argument_of(made.symbol)) {
      if (*array == nullptr) return {};
      made.symbol = root(**array);
      if ((*array)->kind == Kind::element && !find_variables(program_, **array, depends)) return {};
      if (made.symbol == none || ((*array)->kind != Kind::element && (*array)->kind != Kind::name)) return {};
      depends.erase(made.symbol);
    }
  }
  made.depends = std::move(depends);
  made.links.insert(made.links.begin(), link);
  return number_of(std::move(made));
}

void Flow::step_back(Index p, const Step& step, Fates& fates) {
  switch (step.kind) {
    case Step::Kind::read:
      if (tracked(step.symbol)) fates[step.symbol] = {.live = true};
      return;
    case Step::Kind::change:
      return change(step.symbol, fates);
    case Step::Kind::assign:
      return assign(step.symbol, step.value, fates);
    case Step::Kind::overwrite:
      if (tracked(step.region->symbol))
        fates[step.region->symbol] = {.by = {number_of({.region = step.region,
                                                        .condition = nullptr,
                                                        .symbol = step.region->symbol,
                                                        .links = {},
                                                        .depends = step.region->depends})}};
      return;
    case Step::Kind::call:
      return call_back(p, step, fates);
    case Step::Kind::outside:
      return intersect(graphs_[p]->sizes, reached_) ? make_live(fates) : call_outside(p, step, fates);
    case Step::Kind::everything:
      return make_live(fates);
    case Step::Kind::marker:
      return;
  }
}

void Flow::call_back(Index p, const Step& step, Fates& fates) {
  const Index callee = step.call->procedure;
  const Summary& summary = summaries_[callee];
  if (summary.anything) return make_live(fates);
  const auto& dummies = program_.procedures[callee].dummies;
  std::set<Index> changed, by_dummies;
  for (const Index symbol : summary.changes) {
    const auto dummy = std::ranges::find(dummies, symbol);
    if (dummy == dummies.end()) {
      changed.insert(symbol);
      continue;
    }
    const auto i = static_cast<std::size_t>(dummy - dummies.begin());
    const ExprPtr argument = i < step.call->parts.size() ? step.call->parts[i] : nullptr;
    if (argument != nullptr && root(*argument) != none) by_dummies.insert(root(*argument));
  }
  changed.insert(by_dummies.begin(), by_dummies.end());
  if (intersect(graphs_[p]->sizes, changed)) return make_live(fates);
  Fates before;
  for (const Index symbol : tracked_) {
    const auto after = fates.find(symbol);
    if (step.skipped.contains(symbol)) {
      if (after != fates.end())
        before[symbol] = depends_on(after->second, changed) ? Fate{.live = true} : after->second;
      continue;
    }
    Fate fate = of_call(step, symbol, after != fates.end() ? after->second : Fate{}, changed, by_dummies);
    if (fate != Fate{}) before[symbol] = std::move(fate);
  }
  fates = std::move(before);
}

Fate Flow::of_call(const Step& step, Index symbol, const Fate& after, const std::set<Index>& changed,
                   const std::set<Index>& changed_by_dummies) {
  const Index callee = step.call->procedure;
  const auto& dummies = program_.procedures[callee].dummies;
  const auto& at_entry = summaries_[callee].at_entry;
  const Fate passed{.passed = true};
  std::vector<Fate> fates;  // of the names that the callee has for it
  const auto see = [&](Index name) {
    const auto found = at_entry.find(name);
    fates.push_back(found != at_entry.end() ? found->second : passed);
  };
  for (std::size_t i = 0; i < step.call->parts.size(); ++i) {
    const ExprPtr& argument = step.call->parts[i];
    if (argument == nullptr || root(*argument) != symbol) continue;
    if (i >= dummies.size() || dummies[i] == none || !program_.symbols[dummies[i]].unclear.empty())
      return {.live = true};
    if (!tracked(dummies[i])) return {.live = true};  // a scalar that is an element: what becomes of it is not followed
    see(dummies[i]);
  }
  const bool another = own(symbol, callee) && program_.symbols[symbol].storage != Storage::fixed;  // in each call
  if (!another) see(symbol);
  std::erase(fates, passed);
  Fate made = passed;
  if (fates.size() > 1 || (fates.size() == 1 && fates.front().live)) return {.live = true};
  if (fates.size() == 1) {
    made = {.passed = fates.front().passed};
    for (const std::size_t number : fates.front().by) {
      const auto here = through(number, {.call = step.call, .callee = callee});
      if (summaries_[callee].outside && here && intersect(overwritten_[*here].depends, given_)) return {.live = true};
      if (!here || overwritten_[*here].symbol != symbol || intersect(overwritten_[*here].depends, changed_by_dummies))
        return {.live = true};
      made.by.insert(*here);
    }
  }
  if (!made.passed) return made;
  made.passed = false;
  if (depends_on(after, changed) || (summaries_[callee].outside && depends_on_reachable(after))) return {.live = true};
  meet(made, after);
  return made;
}

}  // namespace cppc::fortran
