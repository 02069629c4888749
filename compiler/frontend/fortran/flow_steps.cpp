// What holds before a step, by what holds after it.

#include <algorithm>

#include "flow_graph.hpp"

namespace cppc::fortran {

using Kind = Expr::Kind;
using Storage = Symbol::Storage;

namespace {

/// Links of a way, ways on which an array is overwritten, and overwrites of each that it is worth to name.
constexpr std::size_t kMostLinks = 16, kMostWays = 32, kMostOverwrites = 8;
/// What it costs to find one again.
constexpr std::size_t kStepsOfANumber = 20;

/// Whether one of the others says no more to be dead.
bool is_implied(const Overwrites& overwrites, const std::set<Overwrites>& others) {
  return std::ranges::any_of(
      others, [&](const Overwrites& other) { return other != overwrites && std::ranges::includes(overwrites, other); });
}

Overwrites both(Overwrites one, const Overwrites& other) {
  for (const std::size_t number : other)
    if (one.size() < kMostOverwrites) one.insert(number);
  return one;
}

}  // namespace

void meet(Fate& one, const Fate& other) {
  if (one.live || other.live) {
    one = {.live = true};
    return;
  }
  bool grew = false;
  for (const Overwrites& overwrites : other.by) grew |= one.by.insert(overwrites).second;
  if (!grew || one.by.size() == 1) return;
  std::erase_if(one.by, [&one](const Overwrites& overwrites) { return is_implied(overwrites, one.by); });
  if (one.by.size() > kMostWays) one = {.live = true};
}

Fate followed_by(const Fate& fate, const Fate& after) {
  Fate made{.live = fate.live, .by = {}};
  for (const Overwrites& overwrites : fate.by) {
    if (!overwrites.contains(afterwards)) {
      meet(made, {.by = {overwrites}});
      continue;
    }
    Overwrites first = overwrites;
    first.erase(afterwards);
    if (after.live && first.empty()) return {.live = true};
    if (after.live) meet(made, {.by = {first}});
    for (const Overwrites& next : after.by) meet(made, {.by = {both(first, next)}});
  }
  return made;
}

Fate preceded_by(const Overwrites& overwrites, const Fate& fate) {
  if (fate.live) return {.by = {overwrites}};
  Fate made;
  for (const Overwrites& way : fate.by) meet(made, {.by = {both(overwrites, way)}});
  return made;
}

bool intersect(const std::set<Index>& one, const std::set<Index>& other) {
  return std::ranges::any_of(one, [&](Index index) { return other.contains(index); });
}

void follow(const std::vector<std::vector<Index>>& next, std::set<Index>& symbols) {
  std::vector<Index> due(symbols.begin(), symbols.end());
  while (!due.empty()) {
    const Index symbol = due.back();
    due.pop_back();
    for (const Index other : next[symbol])
      if (symbols.insert(other).second) due.push_back(other);
  }
}

/// What holds before a branch. Where what becomes of an array differs, which way is taken is known at run time.
void Flow::decide(const ExprPtr& condition, Fates& then, const Fates& otherwise) {
  for (const auto& [symbol, fate] : otherwise)
    if (fate.live && !then[symbol].live) then[symbol] = guarded(then[symbol], condition, true, symbol);
  for (auto& [symbol, fate] : then) {
    const auto other = otherwise.find(symbol);
    const Fate& same = other != otherwise.end() ? other->second : Fate{};
    if (same.live) continue;
    if (fate.live) {
      fate = guarded(same, condition, false, symbol);
      continue;
    }
    if (fate == same) continue;
    Fate told = closed(fate, condition, false, symbol);
    meet(told, closed(same, condition, true, symbol));
    if (told.live || told.by.size() > kMostWays / 2)
      meet(fate, same);
    else
      fate = std::move(told);
  }
  for (const auto& [symbol, fate] : otherwise)
    if (!then.contains(symbol)) then[symbol] = fate;
}

/// With the condition without which its ways are taken.
Fate Flow::closed(const Fate& fate, const ExprPtr& condition, bool holds, Index symbol) {
  const Fate guard = guarded({}, condition, holds, symbol);
  if (guard.live) return fate;
  Fate made;
  for (const Overwrites& way : fate.by) meet(made, {.by = {both(way, *guard.by.begin())}});
  return made;
}

Fate Flow::guarded(const Fate& fate, const ExprPtr& condition, bool holds, Index symbol) {
  Fate made = fate;
  Overwritten guard{.condition = condition, .holds = holds, .symbol = symbol, .links = {}, .depends = {}};
  if (!find_variables(program_, *condition, guard.depends)) return {.live = true};
  meet(made, {.by = {{number_of(std::move(guard))}}});
  return made;
}

/// Whether where an overwrite is changes with one of these.
bool Flow::depends_on(std::size_t number, const std::set<Index>& changed, const Reached& reached) const {
  return std::ranges::any_of(overwritten_[number].depends,
                             [&](Index symbol) { return changed.contains(symbol) || is_reached(symbol, reached); });
}

/// What is left of it before variables change that say where overwrites are.
Fate Flow::without(Fate fate, const std::set<Index>& changed, const Reached& reached) const {
  const auto stays = [&](std::size_t number) { return number == afterwards || !depends_on(number, changed, reached); };
  const bool all = std::ranges::all_of(
      fate.by, [&](const Overwrites& overwrites) { return std::ranges::all_of(overwrites, stays); });
  return all ? fate : filtered(fate, stays);
}

void Flow::change(Index symbol, Fates& fates) {
  std::set<Index> changed{symbol};
  add_shapes(changed);
  if (!intersect(changed, depended_on_)) return;
  for (auto& [array, fate] : fates) fate = without(std::move(fate), changed);
}

void Flow::assign(Index symbol, const ExprPtr& value, Fates& fates) {
  if (!depended_on_.contains(symbol)) return;
  for (auto& [array, fate] : fates) {
    Fate before{.live = fate.live, .by = {}};
    for (const Overwrites& overwrites : fate.by) {
      Overwrites made;
      for (const std::size_t number : overwrites)
        if (number == afterwards || !overwritten_[number].depends.contains(symbol))
          made.insert(number);
        else if (const auto same = through(number, {.variable = symbol, .value = value}))
          made.insert(*same);
      meet(before, made.empty() ? Fate{.live = true} : Fate{.by = {std::move(made)}});
    }
    fate = std::move(before);
  }
}

/// Of pointers that a changed argument may be another name of, with what says where they lead.
void Flow::add_shapes(std::set<Index>& changed) const {
  const std::set<Index> all = changed;
  for (const Index symbol : all) {
    const Symbol& s = program_.symbols[symbol];
    if (s.storage != Storage::dummy || s.unclear.empty()) continue;
    for (const Index pointer : s.pointers) changed.insert(program_.symbols[pointer].shape);
  }
}

/// Before an overwrite. What is not in it becomes what it does behind it, if nothing of that is read meanwhile.
void Flow::overwrite(const Region& region, Fates& fates) {
  if (!tracked(region.symbol)) return;
  Fate& fate = fates[region.symbol];
  Overwrites one{number_of(
      {.region = &region, .condition = nullptr, .symbol = region.symbol, .links = {}, .depends = region.depends})};
  if (region.alone) one.insert(afterwards);
  fate = followed_by({.by = {std::move(one)}}, fate);
}

std::size_t Flow::number_of(Overwritten one) {
  take_steps(kStepsOfANumber);
  const auto [found, fresh] =
      numbers_.try_emplace({one.region, one.condition.get(), one.holds, one.symbol, one.links}, overwritten_.size());
  if (fresh) {
    depended_on_.insert(one.depends.begin(), one.depends.end());
    overwritten_.push_back(std::move(one));
  }
  return found->second;
}

namespace {

/// As which names are seen, where bounds may differ.
std::string views(const Expr& e) {
  std::string made = e.kind == Kind::name ? " " + std::to_string(view(e)) : "";
  for (const ExprPtr& part : e.parts)
    if (part != nullptr) made += views(*part);
  return made;
}

}  // namespace

/// The first call that has been met of those that give the same procedure the same arguments.
const Expr* Flow::first_like(const Expr& call) {
  std::vector<std::string> words;
  for (const ExprPtr& argument : call.parts) {
    words.push_back(argument != nullptr ? text(program_, *argument) : "none");
    if (words.back().empty()) return &call;
    if (argument != nullptr) words.back() += views(*argument);
  }
  return calls_.try_emplace({call.procedure, std::move(words)}, &call).first->second;
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
  if (link.call != nullptr) made.links.front().call = first_like(*link.call);
  made.behind = number;
  return number_of(std::move(made));
}

/// What is overwritten elsewhere in the array is dead as before.
void Flow::read_part(const Step& step, Fate& fate) const {
  Fate made{.live = fate.live || fate.by.empty() || step.element == nullptr, .by = {}};
  for (Overwrites overwrites : fate.by) {
    std::erase_if(overwrites, [&](std::size_t number) {
      const Region* region = number != afterwards ? overwritten_[number].region : nullptr;
      return made.live || region == nullptr || region->symbol != step.symbol || !is_apart(*step.element, *region);
    });
    meet(made, overwrites.empty() ? Fate{.live = true} : Fate{.by = {std::move(overwrites)}});
  }
  fate = std::move(made);
}

void Flow::step_back(Index p, const Step& step, Fates& fates) {
  switch (step.kind) {
    case Step::Kind::read:
      if (tracked(step.symbol)) read_part(step, fates[step.symbol]);
      for (const Index pointer : program_.symbols[step.symbol].pointers) fates[pointer] = {.live = true};
      return;
    case Step::Kind::change:
      return change(step.symbol, fates);
    case Step::Kind::assign:
      return assign(step.symbol, step.value, fates);
    case Step::Kind::overwrite:
      return overwrite(*step.region, fates);
    case Step::Kind::call:
      return call_back(p, step, fates);
    case Step::Kind::outside:
      if (std::ranges::any_of(graphs_[p]->sizes, [this](Index symbol) { return is_reached(symbol, reached_); }))
        return make_live(fates);
      return call_outside(p, step, fates);
    case Step::Kind::everything:
      return make_live(fates);
    case Step::Kind::stop:
      return make_doubtful_live(fates);
    case Step::Kind::marker:
      return;
  }
}

void Flow::call_back(Index p, const Step& step, Fates& fates) {
  const Index callee = step.call->procedure;
  const Summary& summary = summaries_[callee];
  if (summary.anything) return make_live(fates);
  take_steps(summary.changes.size());
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
  add_shapes(changed);
  if (intersect(graphs_[p]->sizes, changed)) return make_live(fates);
  Fates before;
  for (const Index symbol : met_by(step)) {
    if (!followed_.contains(symbol) || step.skipped.contains(symbol)) continue;
    const auto after = fates.find(symbol);
    before[symbol] = of_call(step, symbol, after != fates.end() ? after->second : Fate{}, changed, by_dummies);
  }
  static const Reached nothing;
  for (auto& [symbol, fate] : fates)
    if (!before.contains(symbol))
      fate = without(std::move(fate), changed, step.skipped.contains(symbol) ? nothing : summary.reached);
  for (auto& [symbol, fate] : before)
    if (fate != Fate{})
      fates[symbol] = std::move(fate);
    else
      fates.erase(symbol);
}

/// Arrays that a call has to do with, by its arguments or by their own names.
std::set<Index> Flow::met_by(const Step& step) const {
  std::set<Index> met;
  for (const auto& [symbol, fate] : summaries_[step.call->procedure].at_entry) met.insert(symbol);
  for (const ExprPtr& argument : step.call->parts) {
    const Index symbol = argument != nullptr ? root(*argument) : none;
    if (symbol == none) continue;
    met.insert(symbol);
    met.insert(program_.symbols[symbol].pointers.begin(), program_.symbols[symbol].pointers.end());
  }
  return met;
}

Fate Flow::of_call(const Step& step, Index symbol, const Fate& after, const std::set<Index>& changed,
                   const std::set<Index>& changed_by_dummies) {
  const Index callee = step.call->procedure;
  const auto& dummies = program_.procedures[callee].dummies;
  const auto& at_entry = summaries_[callee].at_entry;
  const Fate passed{.by = {{afterwards}}};
  std::vector<Fate> fates;  // of the names that the callee has for it
  const auto see = [&](Index name) {
    const auto found = at_entry.find(name);
    fates.push_back(found != at_entry.end() ? found->second : passed);
  };
  for (std::size_t i = 0; i < step.call->parts.size(); ++i) {
    const ExprPtr& argument = step.call->parts[i];
    if (argument == nullptr || root(*argument) == none) continue;
    if (has_mate_in(symbol, {root(*argument)}) && !is_passed(callee, i)) return {.live = true};
    if (root(*argument) != symbol) continue;
    if (i >= dummies.size() || dummies[i] == none || !program_.symbols[dummies[i]].unclear.empty())
      return {.live = true};
    if (!tracked(dummies[i])) return {.live = true};  // a scalar that is an element: what becomes of it is not followed
    see(dummies[i]);
  }
  const bool another = own(symbol, callee) && program_.symbols[symbol].storage != Storage::fixed;  // in each call
  if (!another) see(symbol);
  std::erase(fates, passed);
  if (fates.size() > 1) return {.live = true};
  return followed_by(fates.empty() ? passed : of_callee(step, symbol, fates.front(), changed_by_dummies),
                     without(after, changed, summaries_[callee].reached));
}

/// Whether a procedure leaves what it is given alone.
bool Flow::is_passed(Index callee, std::size_t i) const {
  const auto& dummies = program_.procedures[callee].dummies;
  if (i >= dummies.size() || dummies[i] == none || !program_.symbols[dummies[i]].unclear.empty()) return false;
  return tracked(dummies[i]) && !summaries_[callee].at_entry.contains(dummies[i]);
}

/// What a callee does with its name of an array, as it is said before the call.
Fate Flow::of_callee(const Step& step, Index symbol, const Fate& fate, const std::set<Index>& changed) {
  const Index callee = step.call->procedure;
  Fate made{.live = fate.live, .by = {}};
  for (const Overwrites& overwrites : fate.by) {
    Overwrites told;
    for (const std::size_t number : overwrites) {
      if (number == afterwards) {
        told.insert(number);
        continue;
      }
      const auto here = through(number, {.call = step.call, .callee = callee});
      if (!here || overwritten_[*here].symbol != symbol) continue;
      const auto& depends = overwritten_[*here].depends;
      if (!intersect(depends, changed) && !(summaries_[callee].outside && intersect(depends, given_)))
        told.insert(*here);
    }
    meet(made, told.empty() ? Fate{.live = true} : Fate{.by = {std::move(told)}});
  }
  return made;
}

}  // namespace cppc::fortran
