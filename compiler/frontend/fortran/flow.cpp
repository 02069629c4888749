#include "flow.hpp"

#include <algorithm>

#include "fills.hpp"
#include "flow_graph.hpp"

namespace cppc::fortran {

namespace {

using Storage = Symbol::Storage;

/// Bytes of an array that it is worth to name.
constexpr std::uint64_t kWorthwhile = 4096;
/// Rounds until the summaries of procedures must have settled.
constexpr int kMostRounds = 50;

Effects filling_effects_of(const Program& program) {
  Effects effects = effects_of(program);
  find_fills(program, effects);
  return effects;
}

}  // namespace

Flow::Flow(const Program& program, const models::Models& models, std::uint64_t most_steps)
    : program_(program),
      models_(models),
      effects_(filling_effects_of(program)),
      unclear_(program.unclear),
      most_steps_(most_steps) {
  const std::size_t count = program.procedures.size();
  summaries_.resize(count);
  called_otherwise_.resize(count);
  callers_.resize(count);
  for (Index symbol = 0; symbol < program.symbols.size(); ++symbol)
    if (tracked(symbol)) tracked_.push_back(symbol);
  followed_ = {tracked_.begin(), tracked_.end()};
  for (Index p = 0; p < count; ++p) {
    graphs_.push_back(std::make_unique<Graph>());
    if (program.procedures[p].defined) make_graph(p);
  }
  for (Index p = 0; p < count; ++p)
    for (const Graph::Block& block : graphs_[p]->blocks)
      for (const Step& step : block.steps)
        if (step.kind == Step::Kind::call) callers_[step.call->procedure].emplace_back(p, step.call);
  std::vector<bool> seen(count);
  for (Index p = 0; p < count; ++p) add_callees_first(p, seen);
  for (const Index bound : program.bound)
    if (bound != none) called_otherwise_[bound] = true;
  find_names();
  find_buffers();
  find_outside();
  if (unclear_.empty()) summarise();
}

/// What is passed as which dummy, by each of the two.
void Flow::find_names() {
  passed_as_.resize(program_.symbols.size());
  passed_.resize(program_.symbols.size());
  for (const auto& callers : callers_)
    for (const auto& [caller, call] : callers) {
      const auto& dummies = program_.procedures[call->procedure].dummies;
      for (std::size_t i = 0; i < dummies.size() && i < call->parts.size(); ++i) {
        const Index symbol = dummies[i] != none && call->parts[i] != nullptr ? root(*call->parts[i]) : none;
        if (symbol == none) continue;
        passed_as_[symbol].push_back(dummies[i]);
        passed_[dummies[i]].push_back(symbol);
      }
    }
}

Flow::~Flow() = default;

std::vector<bool> Flow::perhaps_active(Index procedure) const {
  std::vector<bool> active(callers_.size());
  std::vector<Index> asked{procedure};
  while (!asked.empty()) {
    const Index p = asked.back();
    asked.pop_back();
    if (active[p]) continue;
    active[p] = true;
    if (p < entered_.size() && entered_[p]) return std::vector<bool>(callers_.size(), true);
    for (const auto& [caller, call] : callers_[p]) asked.push_back(caller);
  }
  return active;
}

bool Flow::tracked(Index index) const {
  const Symbol& symbol = program_.symbols[index];
  if (!symbol.array || !symbol.unclear.empty()) return false;
  return symbol.storage == Storage::dummy || symbol.descriptor != Symbol::Descriptor::none ||
         symbol.bytes >= kWorthwhile;
}

bool Flow::own(Index symbol, Index procedure) const {
  const Symbol& s = program_.symbols[symbol];
  return s.procedure == procedure && s.storage != Storage::common && s.storage != Storage::module;
}

void Flow::make_live(Fates& fates) const {
  for (const Index symbol : followed_) fates[symbol] = {.live = true};
}

/// Where a program ends, pointers may lead to what is gone.
void Flow::make_doubtful_live(Fates& fates) const {
  for (const Index symbol : followed_)
    if (program_.symbols[symbol].doubtful) fates[symbol] = {.live = true};
}

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
    const bool grew = made != summaries_[p].at_entry;
    summaries_[p].at_entry = std::move(made);
    return grew;
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
  std::set<Index> all = std::exchange(followed_, met);
  for (const auto& [doubtful, symbols] : others) followed_.insert(symbols.front());
  Fates at_exit;
  for (const Index symbol : followed_) at_exit[symbol] = {.by = {{afterwards}}};
  const Fates at_entry = solve(p, at_exit, nullptr, nullptr, nullptr);
  followed_ = std::move(all);
  std::map<Index, Fate> made;
  const auto tell = [&](Index symbol, const Fate& fate) {
    const bool inside = own(symbol, p) && program_.symbols[symbol].storage == Storage::local;
    if (!inside && fate != Fate{.by = {{afterwards}}}) made[symbol] = fate;
  };
  for (const auto& [symbol, fate] : at_entry)
    if (met.contains(symbol)) tell(symbol, fate);
  for (const auto& [doubtful, symbols] : others)
    if (const auto one = at_entry.find(symbols.front()); one != at_entry.end())
      for (const Index symbol : symbols) tell(symbol, one->second);
  return made;
}

void Flow::take_steps(std::size_t count) {
  steps_ += count;
  if (!complete()) unclear_ = "the program is too large for its arrays to be followed";
}

/// The least solution; at the entry. `found`: what holds at a marker, or behind a call.
Flow::Fates Flow::solve(Index p, const Fates& at_exit, const Statement* marker, const Expr* call, Fates* found) {
  const Graph& graph = *graphs_[p];
  std::vector<Fates> in(graph.blocks.size());
  // Fates come to a block from those behind it that have some, to a branch from both: what is not known yet looks like
  // the best, and what is made of that (a condition, the worst by a read of part of an array) would stay.
  std::vector<bool> due(graph.blocks.size(), true), met(graph.blocks.size());
  bool patient = true;
  const auto can_be_met = [&](std::size_t b) {
    const Graph::Block& block = graph.blocks[b];
    const auto is_met = [&](std::size_t next) { return met[next]; };
    if (block.sweep != nullptr && !met[block.sweep->inside]) return false;
    if (patient && block.condition != nullptr) return std::ranges::all_of(block.successors, is_met);
    return b == Graph::exit || block.successors.empty() || std::ranges::any_of(block.successors, is_met);
  };
  const auto after = [&](std::size_t b) {
    if (b == Graph::exit) return at_exit;
    Fates fates;
    const Graph::Block& block = graph.blocks[b];
    const auto& successors = block.successors;
    if (block.condition != nullptr && successors.size() == 2 && met[successors[0]] && met[successors[1]]) {
      fates = in[successors[0]];
      decide(block.condition, fates, in[successors[1]]);
      return fates;
    }
    for (const std::size_t next : successors)
      for (const auto& [symbol, fate] : in[next]) meet(fates[symbol], fate);
    if (block.sweep != nullptr) sweep(p, *block.sweep, in[block.sweep->inside], fates);
    return fates;
  };
  for (bool changed = true; changed && complete();) {
    changed = false;
    for (std::size_t b = graph.blocks.size(); b-- > 0 && complete();) {
      if (!due[b] || !can_be_met(b)) continue;
      due[b] = false;
      changed = changed || !met[b];
      patient = patient || !met[b];
      met[b] = true;
      take_steps((graph.blocks[b].steps.size() + 1) * followed_.size());
      Fates fates = after(b);
      for (std::size_t i = graph.blocks[b].steps.size(); i-- > 0;) step_back(p, graph.blocks[b].steps[i], fates);
      for (const auto& [symbol, fate] : in[b]) meet(fates[symbol], fate);  // it only ever grows
      if (fates == in[b]) continue;
      in[b] = std::move(fates);
      for (const std::size_t before : graph.blocks[b].predecessors) changed = due[before] = true;
    }
    if (!changed && patient && std::ranges::find(met, false) != met.end()) {
      patient = false;
      changed = true;
    }
  }
  for (std::size_t b = 0; found != nullptr && b < graph.blocks.size() && complete(); ++b) {
    take_steps((graph.blocks[b].steps.size() + 1) * followed_.size());
    Fates fates = after(b);
    for (std::size_t i = graph.blocks[b].steps.size(); i-- > 0;) {
      const Step& step = graph.blocks[b].steps[i];
      const bool here = (marker != nullptr && step.kind == Step::Kind::marker && step.loop == marker) ||
                        (call != nullptr && step.kind == Step::Kind::call && step.call == call);
      if (here)
        for (const auto& [symbol, fate] : fates) meet((*found)[symbol], fate);
      step_back(p, step, fates);
    }
  }
  return in[Graph::entry];
}

/// Variables that dummies of the procedure, or of those that lead to it, may be other names of.
std::set<Index> Flow::bound_to_dummies(Index p, std::set<Index>& asked) const {
  std::set<Index> bound;
  if (!asked.insert(p).second) return bound;
  for (const auto& [caller, call] : callers_[p]) {
    for (const ExprPtr& argument : call->parts)
      if (argument != nullptr && root(*argument) != none) bound.insert(root(*argument));
    bound.merge(bound_to_dummies(caller, asked));
  }
  return bound;
}

Flow::Fates Flow::exit_of(Index p) {
  if (const auto known = exits_.find(p); known != exits_.end()) return known->second;
  Fates fates;
  if (program_.procedures[p].is_main) {
    make_doubtful_live(fates);
    return exits_[p] = fates;
  }
  if (entered_[p] || callers_[p].empty() || !asked_.insert(p).second) {
    make_live(fates);
    return fates;
  }
  for (const auto& [caller, call] : callers_[p]) {
    Fates behind;
    solve(caller, exit_of(caller), nullptr, call, &behind);
    for (auto& [symbol, fate] : behind) {
      meet(fates[symbol], filtered(fate, [&](std::size_t number) {
             return std::ranges::none_of(overwritten_[number].depends, [&](Index one) { return own(one, caller); });
           }));
    }
  }
  for (const Index symbol : tracked_)
    if (own(symbol, p)) fates[symbol] = {.live = true};  // compilers give large local arrays a place that lasts
  asked_.erase(p);
  return exits_[p] = fates;
}

/// Whether it is known by a name for the linker.
bool Flow::is_of_linker(Index symbol) const {
  return !program_.symbols[symbol].linker_name.empty() && program_.symbols[symbol].part_of == none;
}

/// Whether the procedure can hand it to a routine: it is its own or, with that name, of one that it is in.
bool Flow::can_be_named(Index symbol, Index p) const {
  const Symbol& s = program_.symbols[symbol];
  if (s.storage == Storage::dummy || program_.procedures[p].shadows) return false;
  const std::string name = s.name.substr(0, s.name.find('%'));
  while (p != none && s.procedure != p) {
    if (program_.procedures[p].names.contains(name)) return false;
    p = program_.procedures[p].host;
  }
  return p != none && own(symbol, p);
}

std::set<Index> Flow::given_at(Index p, const Statement& loop) const {
  for (const Graph::Block& block : graphs_[p]->blocks)
    for (const Step& step : block.steps)
      if (step.kind == Step::Kind::marker && step.loop == &loop) return given_before(p, step);
  return given_;
}

std::map<Index, Fate> Flow::at(Index p, const Statement& loop, bool in_flight) {
  std::map<Index, Fate> told;
  if (!unclear_.empty() || !program_.procedures[p].unclear.empty()) return told;
  std::set<Index> asked;
  std::set<Index> bound = bound_to_dummies(p, asked);
  add_parts(bound);
  Fates fates;
  solve(p, exit_of(p), &loop, nullptr, &fates);
  if (!complete()) return told;
  const std::set<Index> given = given_at(p, loop);
  for (const Index symbol : tracked_) {
    const auto fate = fates.find(symbol);
    if (given.contains(symbol) || (in_flight && buffers_.contains(symbol))) continue;
    if (program_.symbols[symbol].doubtful && (fate == fates.end() || fate->second.by.empty())) continue;
    if (bound.contains(symbol) || (fate != fates.end() && fate->second.live)) continue;
    if (is_of_linker(symbol) || can_be_named(symbol, p)) told[symbol] = fate != fates.end() ? fate->second : Fate{};
  }
  return told;
}

}  // namespace cppc::fortran
