// What code that is not known, and requests, may read, change and call: by the names that it uses, and what it was
// given.

#include <algorithm>

#include "flow_graph.hpp"
#include "pointers.hpp"

namespace cppc::fortran {

/// What requests may read or write while they are active, and what code that is not known may have the address of.
void Flow::find_buffers() {
  give(requests_, buffers_);
  for (Index symbol = 0; symbol < program_.symbols.size(); ++symbol) {
    const Index owner = program_.symbols[symbol].procedure;
    for (Index p = 0; owner != none && p < program_.procedures.size(); ++p)
      if (program_.procedures[p].host == owner && called_otherwise_[p]) of_hosts_.insert(symbol);
  }
  given_ = of_hosts_;
  give(unknown_, given_);
  give_following();
  add_parts(buffers_);
  add_parts(given_);
}

/// Who gets the address of a scalar in a COMMON block may take what follows it there for an array.
void Flow::give_following() {
  const std::set<Index> all = given_;
  for (const Index symbol : all)
    if (!program_.symbols[symbol].array)
      for (const Index other : following(program_, symbol)) given_.insert(other);
}

void Flow::add_parts(std::set<Index>& variables) const {
  const std::set<Index> all = variables;
  for (const Index symbol : all) {
    variables.insert(program_.symbols[symbol].parts.begin(), program_.symbols[symbol].parts.end());
    for (const Index other : neighbours(program_, symbol)) variables.insert(other);
  }
  for (const Index symbol : tracked_)
    if (has_mate_in(symbol, variables)) variables.insert(symbol);
}

/// Whether other names of the memory that a pointer leads to are among them.
bool Flow::has_mate_in(Index symbol, const std::set<Index>& variables) const {
  return std::ranges::any_of(program_.symbols[symbol].mates, [&](Index mate) { return variables.contains(mate); });
}

/// By all of their names.
void Flow::give(const std::vector<const Expr*>& calls, std::set<Index>& given) const {
  for (const Expr* call : calls)
    for (const ExprPtr& argument : call->parts)
      if (argument != nullptr && root(*argument) != none) given.insert(root(*argument));
  follow(passed_, given);
}

void Flow::find_outside() {
  const auto count = static_cast<Index>(graphs_.size());
  bool runs = program_.lacks_code() ||
              std::ranges::none_of(program_.procedures, [](const Procedure& procedure) { return procedure.is_main; });
  for (const auto& graph : graphs_)
    for (const Graph::Block& block : graph->blocks)
      runs = runs || std::ranges::any_of(block.steps, [](const Step& step) {
               return step.kind == Step::Kind::everything || step.kind == Step::Kind::outside;
             });
  entered_.resize(count);
  for (Index p = 0; p < count; ++p)
    entered_[p] = called_otherwise_[p] || (runs && named_outside(program_, program_.procedures[p].linker_name));
  find_used_at_end();
  find_always_reached();
  reached_ = {&reached_by(given_)};
}

void Flow::find_used_at_end() {
  const auto asks = [](const std::string& name) { return name.ends_with("atexit") || name == "on_exit"; };
  if (!program_.outside || std::ranges::none_of(*program_.outside, asks)) return;
  std::set<Index> seen;
  for (Index p = 0; p < graphs_.size(); ++p)
    if (called_otherwise_[p] || used_by_others(program_, program_.procedures[p].linker_name))
      reach_used(p, seen, used_at_end_);
}

/// What code that is not known can reach whatever it was given: all of this that comes of one variable does so by
/// itself.
void Flow::find_always_reached() {
  std::set<Index>& reached = always_reached_;
  for (Index symbol = 0; symbol < program_.symbols.size(); ++symbol)
    if (named_outside(program_, program_.symbols[symbol].linker_name)) reached.insert(symbol);
  std::set<Index> seen;
  for (Index p = 0; p < entered_.size(); ++p)
    if (entered_[p]) reach_used(p, seen, reached);
  reach_mates(reached);
  for (Index symbol = 0; symbol < program_.symbols.size(); ++symbol)
    if (!program_.symbols[symbol].unclear.empty()) reached.insert(symbol);  // pointers may lead there
  for (const auto& callers : callers_)
    for (const auto& [caller, call] : callers) {
      const auto& dummies = program_.procedures[call->procedure].dummies;
      for (std::size_t i = 0; i < dummies.size() && i < call->parts.size(); ++i) {
        const ExprPtr& argument = call->parts[i];
        if (dummies[i] != none && argument != nullptr && root(*argument) == none &&
            argument->kind == Expr::Kind::call && argument->word.empty())
          reached.insert(dummies[i]);  // perhaps a pointer
      }
    }
  follow(passed_as_, reached);
}

/// What it can reach besides when it was given some variables.
const std::set<Index>& Flow::reached_by(const std::set<Index>& given) {
  const auto [found, fresh] = reached_by_.try_emplace(given, given);
  if (!fresh) return found->second;
  reach_mates(found->second);
  follow(passed_as_, found->second);
  std::erase_if(found->second, [this](Index symbol) { return always_reached_.contains(symbol); });
  return found->second;
}

/// Other names of the memory of what is reached.
void Flow::reach_mates(std::set<Index>& reached) const {
  const std::set<Index> variables = reached;
  for (const Index symbol : variables)
    for (const Index other : besides(program_, symbol)) reached.insert(other);
  for (const Index symbol : tracked_)
    if (has_mate_in(symbol, reached)) reached.insert(symbol);
}

bool Flow::is_reached(Index symbol, const Reached& reached) const {
  return !reached.empty() && (always_reached_.contains(symbol) ||
                              std::ranges::any_of(reached, [&](const auto* one) { return one->contains(symbol); }));
}

/// Whatever the procedure, or one that it calls, has to do with.
void Flow::reach_used(Index p, std::set<Index>& seen, std::set<Index>& reached) const {
  if (!seen.insert(p).second) return;
  for (const Graph::Block& block : graphs_[p]->blocks)
    for (const Step& step : block.steps) {
      if (step.symbol != none) reached.insert(step.symbol);
      if (step.region != nullptr) reached.insert(step.region->symbol);
      if (step.kind == Step::Kind::everything)
        for (Index symbol = 0; symbol < program_.symbols.size(); ++symbol) reached.insert(symbol);
      if (step.kind != Step::Kind::call) continue;
      for (const ExprPtr& argument : step.call->parts)
        if (argument != nullptr && root(*argument) != none) reached.insert(root(*argument));
      reach_used(step.call->procedure, seen, reached);
    }
  for (const Index dummy : program_.procedures[p].dummies)
    if (dummy != none) reached.insert(dummy);
}

const std::set<Index>& Flow::reached_at(Index p, const Step& step) {
  const auto [found, fresh] = reached_at_.try_emplace(&step);
  if (fresh) found->second = &reached_by(given_before(p, step));
  return *found->second;
}

void Flow::call_outside(Index p, const Step& step, Fates& fates) {
  const Reached reached{&reached_at(p, step)};
  Remembered before([&](Fate fate) { return without(fate, {}, reached); });
  for (std::size_t i = 0; i < fates.size(); ++i)
    fates[i] = is_reached(followed_.arrays[i], reached) ? Fate::live : before(fates[i]);
}

}  // namespace cppc::fortran
