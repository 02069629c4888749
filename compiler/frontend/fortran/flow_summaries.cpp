// What calls of procedures do with arrays, by what they do themselves and by what those do that they call.

#include <algorithm>

#include "flow_graph.hpp"

namespace cppc::fortran {

using Storage = Symbol::Storage;

namespace {

/// Rounds until the summaries of procedures must have settled.
constexpr int kMostRounds = 50;

}  // namespace

std::set<Index> Flow::changes_of(Index p) const {
  std::set<Index> changes;
  for (const Graph::Block& block : graphs_[p]->blocks)
    for (const Step& step : block.steps) {
      if (step.symbol != none && step.kind != Step::Kind::read) changes.insert(step.symbol);
      if (step.kind == Step::Kind::overwrite) changes.insert(step.region->symbol);
      if (step.kind != Step::Kind::call) continue;
      const Index callee = step.call->procedure;
      const auto& dummies = program_.procedures[callee].dummies;
      for (const Index changed : summaries_[callee].changes) {
        const auto dummy = std::ranges::find(dummies, changed);
        if (dummy == dummies.end()) {
          changes.insert(changed);
          continue;
        }
        const auto i = static_cast<std::size_t>(dummy - dummies.begin());
        const ExprPtr argument = i < step.call->parts.size() ? step.call->parts[i] : nullptr;
        if (argument != nullptr && root(*argument) != none) changes.insert(root(*argument));
      }
    }
  std::erase_if(changes,
                [&](Index symbol) { return own(symbol, p) && program_.symbols[symbol].storage == Storage::local; });
  return changes;
}

void Flow::add_callees_first(Index p, std::vector<bool>& seen) {
  if (seen[p]) return;
  seen[p] = true;
  for (const Graph::Block& block : graphs_[p]->blocks)
    for (const Step& step : block.steps)
      if (step.kind == Step::Kind::call) add_callees_first(step.call->procedure, seen);
  callees_first_.push_back(p);
}

/// Until improve(procedure), which tells whether its summary has changed, has seen the last of all that it calls.
template <typename Improve>
void Flow::until_settled(Improve improve) {
  std::vector<bool> due;
  for (const Procedure& procedure : program_.procedures) due.push_back(procedure.defined);
  for (bool changed = true; changed;) {
    changed = false;
    for (const Index p : callees_first_) {
      if (!due[p]) continue;
      due[p] = false;
      if (!improve(p)) continue;
      for (const auto& [caller, call] : callers_[p]) changed = due[caller] = true;
    }
  }
}

/// Changes first, then what is read and overwritten, which depends on them.
void Flow::summarise() {
  until_settled([&](Index p) {
    Summary made = summaries_[p];
    made.changes = changes_of(p);
    for (const Graph::Block& block : graphs_[p]->blocks)
      for (const Step& step : block.steps)
        made.anything = made.anything || step.kind == Step::Kind::everything ||
                        (step.kind == Step::Kind::call && summaries_[step.call->procedure].anything);
    for (const Graph::Block& block : graphs_[p]->blocks)
      for (const Step& step : block.steps) {
        if (step.kind != Step::Kind::outside && step.kind != Step::Kind::call) continue;
        if (step.kind == Step::Kind::outside) {
          made.reached.insert(&reached_at(p, step));
          made.outside = true;
          continue;
        }
        const Summary& callee = summaries_[step.call->procedure];
        made.reached.insert(callee.reached.begin(), callee.reached.end());
        made.outside = made.outside || callee.outside;
      }
    const bool grew = made != summaries_[p];
    summaries_[p] = std::move(made);
    return grew;
  });
  std::size_t rounds = 0;
  until_settled([&](Index p) {
    if (summaries_[p].anything || !complete()) return false;
    if (++rounds > kMostRounds * graphs_.size()) {
      unclear_ = "its procedures call each other in too many ways";
      return false;
    }
    std::map<Index, Fate> made = at_entry_of(p);
    if (made == summaries_[p].at_entry) return false;
    summaries_[p].at_entry = std::move(made);
    ++summaries_[p].version;
    return true;
  });
}

/// Tracked arrays that any step of a procedure has to do with.
std::set<Index> Flow::met_in(Index p) {
  std::set<Index> met, arguments;
  Reached reached;
  const auto meet_with = [&](Index symbol) {
    if (symbol == none) return;
    met.insert(symbol);
    met.insert(program_.symbols[symbol].pointers.begin(), program_.symbols[symbol].pointers.end());
  };
  for (const Graph::Block& block : graphs_[p]->blocks)
    for (const Step& step : block.steps) {
      meet_with(step.symbol);
      if (step.region != nullptr) meet_with(step.region->symbol);
      if (step.kind == Step::Kind::outside) reached.insert(&reached_at(p, step));
      if (step.kind != Step::Kind::call) continue;
      for (const ExprPtr& argument : step.call->parts)
        if (argument != nullptr && root(*argument) != none) arguments.insert(root(*argument));
      for (const auto& [symbol, fate] : summaries_[step.call->procedure].at_entry) met.insert(symbol);
    }
  met.insert(arguments.begin(), arguments.end());
  for (const Index symbol : tracked_)
    if (has_mate_in(symbol, arguments) || is_reached(symbol, reached)) met.insert(symbol);
  std::erase_if(met, [this](Index symbol) { return !tracked(symbol); });
  return met;
}

/// What a procedure has nothing to do with has one fate, which is looked for once.
std::map<Index, Fate> Flow::at_entry_of(Index p) {
  take_steps(tracked_.size());
  const std::set<Index> met = met_in(p);
  std::map<bool, std::vector<Index>> others;  // doubtful ones, and the rest
  for (const Index symbol : tracked_)
    if (!met.contains(symbol)) others[program_.symbols[symbol].doubtful].push_back(symbol);
  std::set<Index> some = met;
  for (const auto& [doubtful, symbols] : others) some.insert(symbols.front());
  Followed all = std::exchange(followed_, Followed(program_.symbols.size(), some));
  const Fates at_entry = solve(p, Fates(some.size(), Fate::passed)).in[Graph::entry];
  std::map<Index, Fate> made;
  const auto add = [&](Index symbol, Fate fate) {
    const bool inside = own(symbol, p) && program_.symbols[symbol].storage == Storage::local;
    if (!inside && fate != Fate::passed) made[symbol] = fate;
  };
  for (const Index symbol : met) add(symbol, fate_of(at_entry, symbol));
  for (const auto& [doubtful, symbols] : others) {
    const Fate one = fate_of(at_entry, symbols.front());
    for (const Index symbol : symbols) add(symbol, one);
  }
  followed_ = std::move(all);
  return made;
}

}  // namespace cppc::fortran
