// Loops of which each pass has to do with a part of an array that is its own, as the cells of a grid: what each pass
// overwrites of its part before it reads that, all passes together overwrite before the loop reads it.

#include <algorithm>

#include "flow_graph.hpp"

namespace cppc::fortran {

using Kind = Expr::Kind;

/// What its passes change, and at how many places; nothing when that is not known.
std::optional<std::map<Index, std::size_t>> Flow::changed_in(const Graph& graph, const Sweep& sweep) const {
  std::map<Index, std::size_t> changed{{sweep.loop->variable, 1}};
  std::vector<std::size_t> blocks{sweep.inside};
  for (std::size_t b = sweep.first; b < sweep.last; ++b) blocks.push_back(b);
  for (const std::size_t b : blocks)
    for (const Step& step : graph.blocks[b].steps) {
      if (step.kind == Step::Kind::everything || step.kind == Step::Kind::outside) return {};
      if (step.symbol != none && step.kind != Step::Kind::read) ++changed[step.symbol];
      if (step.kind == Step::Kind::overwrite) ++changed[step.region->symbol];
      if (step.kind != Step::Kind::call) continue;
      const Summary& callee = summaries_[step.call->procedure];
      if (callee.anything || callee.outside) return {};
      const Effect effect{.uses = {}, .changes = callee.changes, .fills = {}};
      for (const Index symbol : changed_by(program_, effect, *step.call)) ++changed[symbol];
    }
  return changed;
}

/// Whether each pass gives the variable one value before it accesses the array.
bool Flow::is_set_first(const Statement& loop, Index variable, Index array) {
  const Symbol& s = program_.symbols[variable];
  if (!s.integer || s.array || !s.unclear.empty() || s.storage != Symbol::Storage::local) return false;
  for (const Statement& inner : loop.body) {
    if (inner.kind == Statement::Kind::assign && inner.target->kind == Kind::name && inner.target->symbol == variable)
      return true;
    const auto accessed = slices_->of(inner);
    if (!accessed || accessed->contains(array)) return false;
  }
  return false;
}

const Flow::Cells& Flow::cells_of(Index p, const Sweep& sweep) {
  if (const auto found = cells_.find(&sweep); found != cells_.end()) return found->second;
  Cells& cells = cells_[&sweep];
  if (!slices_)
    slices_.emplace(program_,
                    [this](Index procedure, Index dummy) { return summaries_[procedure].changes.contains(dummy); });
  const auto varying = changed_in(*graphs_[p], sweep);
  const auto slices = varying ? slices_->of(sweep.loop->body) : std::nullopt;
  if (!slices) return cells;
  for (const auto& [symbol, places] : *varying) cells.varying.insert(symbol);
  for (const auto& [array, slice] : *slices) {
    if (!tracked(array) || program_.symbols[array].descriptor != Symbol::Descriptor::none) continue;
    for (const ExprPtr& subscript : slice.subscripts) {
      if (subscript == nullptr || subscript->kind != Kind::name) continue;
      const Index variable = subscript->symbol;
      const auto places = varying->find(variable);
      if (variable == sweep.loop->variable ||
          (places != varying->end() && places->second == 1 && is_set_first(*sweep.loop, variable, array)))
        cells.arrays.emplace(array, variable);
    }
  }
  return cells;
}

/// What a pass overwrites, of all passes; nothing when it depends on the pass by more than the part that is its own.
std::optional<std::size_t> Flow::swept(std::size_t number, const Sweep& sweep, const Cells& cells, Index array) {
  const Index counter = sweep.loop->variable;
  const Index variable = cells.arrays.at(array);
  if (number == afterwards || overwritten_[number].region == nullptr) return {};
  Overwritten made = overwritten_[number];
  std::set<Index> in_part = made.depends;
  if (variable != counter) {
    const bool linked =
        !made.links.empty() && made.links.front().variable == variable && made.links.front().value != nullptr;
    if (!linked) return {};
    in_part = overwritten_[made.behind].depends;
  }
  if (in_part.erase(variable) == 0 || intersect(in_part, cells.varying)) return {};
  made.depends.erase(counter);
  if (intersect(made.depends, cells.varying)) return {};
  if (!find_variables(program_, *sweep.loop->low, made.depends) ||
      !find_variables(program_, *sweep.loop->high, made.depends))
    return {};
  made.links.insert(made.links.begin(), {.variable = counter, .value = nullptr, .loop = sweep.loop});
  made.behind = number;
  return number_of(std::move(made));
}

/// Before the first pass, by what holds where a pass begins.
void Flow::sweep(Index p, const Sweep& sweep, const Fates& in_pass, Fates& fates) {
  for (std::size_t i = 0; i < in_pass.size(); ++i) {
    if (in_pass[i] <= Fate::passed) continue;
    const Cells& cells = cells_of(p, sweep);
    const Index array = followed_.arrays[i];
    if (!cells.arrays.contains(array)) continue;
    const Ways& ways = table_.ways(in_pass[i]);
    Overwrites common = *ways.begin();
    for (const Overwrites& way : ways) std::erase_if(common, [&](std::size_t number) { return !way.contains(number); });
    Overwrites all;
    for (const std::size_t number : common)
      if (const auto one = swept(number, sweep, cells, array)) all.insert(*one);
    if (!all.empty()) fates[i] = table_.preceded_by(all, fates[i]);
  }
}

}  // namespace cppc::fortran
