// What holds before a call, by what holds behind it. What the callee does with each array is found once for each
// version of its summary.

#include <algorithm>

#include "flow_graph.hpp"

namespace cppc::fortran {

using Storage = Symbol::Storage;

void Flow::call_back(Index p, const Step& step, Fates& fates) {
  CallEffect& effect = effect_of(p, step);
  if (effect.anything) return make_live(fates);
  static const Reached nothing;
  const auto left_of = [&](Fate fate, std::unordered_map<Fate, Fate>& known, const Reached& reached) {
    const auto [found, fresh] = known.try_emplace(fate, Fate::live);
    return fresh ? found->second = without(fate, effect.changed, reached) : found->second;
  };
  const Reached& reached = summaries_[step.call->procedure].reached;
  std::vector<std::pair<Index, Fate>> skipped;
  for (const Index symbol : step.skipped) skipped.emplace_back(symbol, fate_of(fates, symbol));
  for (Fate& fate : fates)
    if (fate > Fate::passed) fate = left_of(fate, effect.without, reached);
  take_steps(effect.at_entry.size());
  for (const auto& [symbol, fate] : effect.at_entry)
    set_fate(fates, symbol, table_.followed_by(fate, fate_of(fates, symbol)));
  for (const auto& [symbol, fate] : skipped) set_fate(fates, symbol, left_of(fate, effect.without_skipped, nothing));
}

Flow::CallEffect& Flow::effect_of(Index p, const Step& step) {
  const auto [found, fresh] = call_effects_.try_emplace(&step);
  CallEffect& effect = found->second;
  if (fresh) find_changes(p, step, effect);
  const std::size_t version = summaries_[step.call->procedure].version;
  if (effect.anything || effect.version == version) return effect;
  effect.version = version;
  find_parts(step, effect);
  return effect;
}

void Flow::find_changes(Index p, const Step& step, CallEffect& effect) const {
  const Summary& summary = summaries_[step.call->procedure];
  const auto& dummies = program_.procedures[step.call->procedure].dummies;
  for (const Index symbol : summary.changes) {
    const auto dummy = std::ranges::find(dummies, symbol);
    if (dummy == dummies.end()) {
      effect.changed.insert(symbol);
      continue;
    }
    const auto i = static_cast<std::size_t>(dummy - dummies.begin());
    const ExprPtr argument = i < step.call->parts.size() ? step.call->parts[i] : nullptr;
    if (argument != nullptr && root(*argument) != none) effect.by_dummies.insert(root(*argument));
  }
  effect.changed.insert(effect.by_dummies.begin(), effect.by_dummies.end());
  add_shapes(effect.changed);
  effect.anything = summary.anything || intersect(graphs_[p]->sizes, effect.changed);
}

void Flow::find_parts(const Step& step, CallEffect& effect) {
  effect.at_entry.clear();
  const std::set<Index> met = met_by(step);
  take_steps(met.size() * step.call->parts.size());
  for (const Index symbol : met)
    if (const Fate fate = part_of(step, symbol, effect.by_dummies); fate != Fate::passed)
      effect.at_entry.emplace_back(symbol, fate);
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
  std::erase_if(met, [this](Index symbol) { return !tracked(symbol); });
  return met;
}

/// What a call does with an array of the caller's.
Fate Flow::part_of(const Step& step, Index symbol, const std::set<Index>& changed_by_dummies) {
  const Index callee = step.call->procedure;
  const auto& dummies = program_.procedures[callee].dummies;
  const auto& at_entry = summaries_[callee].at_entry;
  std::vector<Fate> fates;  // of the names that the callee has for it
  const auto see = [&](Index name) {
    if (const auto found = at_entry.find(name); found != at_entry.end()) fates.push_back(found->second);
  };
  for (std::size_t i = 0; i < step.call->parts.size(); ++i) {
    const ExprPtr& argument = step.call->parts[i];
    if (argument == nullptr || root(*argument) == none) continue;
    if (has_mate_in(symbol, {root(*argument)}) && !is_passed(callee, i)) return Fate::live;
    if (root(*argument) != symbol) continue;
    if (i >= dummies.size() || dummies[i] == none || !program_.symbols[dummies[i]].unclear.empty()) return Fate::live;
    if (!tracked(dummies[i])) return Fate::live;  // a scalar that is an element: what becomes of it is not followed
    see(dummies[i]);
  }
  const bool another = own(symbol, callee) && program_.symbols[symbol].storage != Storage::fixed;  // in each call
  if (!another) see(symbol);
  if (fates.size() > 1) return Fate::live;
  return fates.empty() ? Fate::passed : of_callee(step, symbol, fates.front(), changed_by_dummies);
}

/// Whether a procedure leaves what it is given alone.
bool Flow::is_passed(Index callee, std::size_t i) const {
  const auto& dummies = program_.procedures[callee].dummies;
  if (i >= dummies.size() || dummies[i] == none || !program_.symbols[dummies[i]].unclear.empty()) return false;
  return tracked(dummies[i]) && !summaries_[callee].at_entry.contains(dummies[i]);
}

/// What a callee does with its name of an array, as it is said before the call.
Fate Flow::of_callee(const Step& step, Index symbol, Fate fate, const std::set<Index>& changed) {
  const Index callee = step.call->procedure;
  return table_.changed(fate, [&](const Overwrites& way) {
    Overwrites overwrites;
    for (const std::size_t number : way) {
      if (number == afterwards) {
        overwrites.insert(number);
        continue;
      }
      const auto here = through(number, {.call = step.call, .callee = callee});
      if (!here) continue;
      const Overwritten& one = overwritten_[*here];
      if (one.region != nullptr && one.symbol != symbol) continue;
      if (!intersect(one.depends, changed) && !(summaries_[callee].outside && intersect(one.depends, given_)))
        overwrites.insert(*here);
    }
    return overwrites;
  });
}

}  // namespace cppc::fortran
