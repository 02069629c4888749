// What code that is not known may read, change and call: by the names that it uses, and what it was given.

#include <algorithm>

#include "flow_graph.hpp"
#include "pointers.hpp"

namespace cppc::fortran {

void Flow::find_outside() {
  const auto count = static_cast<Index>(graphs_.size());
  bool runs = !program_.left_out.empty() ||
              std::ranges::none_of(program_.procedures, [](const Procedure& procedure) { return procedure.is_main; });
  for (const auto& graph : graphs_)
    for (const Graph::Block& block : graph->blocks)
      runs = runs || std::ranges::any_of(block.steps, [](const Step& step) {
               return step.kind == Step::Kind::everything || step.kind == Step::Kind::outside;
             });
  entered_.resize(count);
  for (Index p = 0; p < count; ++p)
    entered_[p] = called_otherwise_[p] || (runs && named_outside(program_, program_.procedures[p].linker_name));
  reached_ = reached_by(given_);
}

/// What code that is not known can reach when it was given some variables.
std::set<Index> Flow::reached_by(const std::set<Index>& given) const {
  std::set<Index> reached = given;
  for (Index symbol = 0; symbol < program_.symbols.size(); ++symbol)
    if (named_outside(program_, program_.symbols[symbol].linker_name)) reached.insert(symbol);
  std::set<Index> seen;
  for (Index p = 0; p < entered_.size(); ++p)
    if (entered_[p]) reach_used(p, seen, reached);
  const std::set<Index> variables = reached;
  for (const Index symbol : variables)
    for (const Index other : besides(program_, symbol)) reached.insert(other);
  for (const Index symbol : tracked_)
    if (has_mate_in(symbol, reached)) reached.insert(symbol);
  for (Index symbol = 0; symbol < program_.symbols.size(); ++symbol)
    if (!program_.symbols[symbol].unclear.empty()) reached.insert(symbol);  // pointers may lead there
  reach_dummies(reached);
  return reached;
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

/// Other names of what is reached.
void Flow::reach_dummies(std::set<Index>& reached) const {
  const auto leads_there = [&reached](const Expr& argument) {
    const Index symbol = root(argument);
    if (symbol != none) return reached.contains(symbol);
    return argument.kind == Expr::Kind::call && argument.word.empty();  // perhaps a pointer
  };
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& callers : callers_)
      for (const auto& [caller, call] : callers) {
        const auto& dummies = program_.procedures[call->procedure].dummies;
        for (std::size_t i = 0; i < dummies.size() && i < call->parts.size(); ++i)
          if (dummies[i] != none && call->parts[i] != nullptr && leads_there(*call->parts[i]))
            grew |= reached.insert(dummies[i]).second;
      }
  }
}

const std::set<Index>& Flow::reached_at(Index p, const Step& step) {
  const auto [found, fresh] = reached_at_.try_emplace(&step);
  if (fresh) found->second = reached_by(given_before(p, step));
  return found->second;
}

void Flow::call_outside(Index p, const Step& step, Fates& fates) {
  const std::set<Index>& reached = reached_at(p, step);
  for (const Index symbol : followed_)
    if (reached.contains(symbol)) fates[symbol] = {.live = true};
  for (auto& [symbol, fate] : fates) fate = without(fate, reached);
}

}  // namespace cppc::fortran
