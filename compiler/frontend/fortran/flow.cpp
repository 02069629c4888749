#include "flow.hpp"

#include <algorithm>

#include "fills.hpp"
#include "flow_graph.hpp"
#include "pointers.hpp"

namespace cppc::fortran {

namespace {

using Storage = Symbol::Storage;

/// Bytes of an array that it is worth to name.
constexpr std::uint64_t kWorthwhile = 4096;

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
  followed_ = Followed(program.symbols.size(), {tracked_.begin(), tracked_.end()});
  find_uses_of_mpi();
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

Flow::Followed::Followed(std::size_t symbols, const std::set<Index>& followed)
    : arrays(followed.begin(), followed.end()), places(symbols, nowhere) {
  for (std::size_t i = 0; i < arrays.size(); ++i) places[arrays[i]] = static_cast<std::uint32_t>(i);
}

void Flow::make_live(Fates& fates) const { fates.assign(followed_.arrays.size(), Fate::live); }

/// Where a program ends, pointers may lead to what is gone, and functions in C run that have asked for it.
void Flow::end(Fates& fates) const {
  for (std::size_t i = 0; i < fates.size(); ++i) {
    const Symbol& symbol = program_.symbols[followed_.arrays[i]];
    if (symbol.doubtful || used_by_others(program_, symbol.linker_name) || used_at_end_.contains(followed_.arrays[i]))
      fates[i] = Fate::live;
  }
}

void Flow::take_steps(std::size_t count) {
  steps_ += count;
  if (!complete()) unclear_ = "the program is too large for its arrays to be followed";
}

/// Behind the steps of a block.
Flow::Fates Flow::behind(Index p, const Solution& solution, std::size_t b) {
  const auto& [at_exit, in, met] = solution;
  if (b == Graph::exit) return at_exit;
  const Graph::Block& block = graphs_[p]->blocks[b];
  const auto& successors = block.successors;
  Fates fates(followed_.arrays.size(), Fate::dead);
  if (block.condition != nullptr && successors.size() == 2 && met[successors[0]] && met[successors[1]]) {
    fates = in[successors[0]];
    decide(block.condition, fates, in[successors[1]]);
    return fates;
  }
  for (const std::size_t next : successors)
    for (std::size_t i = 0; met[next] && i < fates.size(); ++i) fates[i] = table_.meet(fates[i], in[next][i]);
  if (block.sweep != nullptr && met[block.sweep->inside]) sweep(p, *block.sweep, in[block.sweep->inside], fates);
  return fates;
}

/// The least solution.
Flow::Solution Flow::solve(Index p, const Fates& at_exit) {
  const Graph& graph = *graphs_[p];
  Solution solution{at_exit, std::vector<Fates>(graph.blocks.size()), std::vector<bool>(graph.blocks.size())};
  auto& in = solution.in;
  auto& met = solution.met;
  // Fates come to a block from those behind it that have some, to a branch from both: what is not known yet looks like
  // the best, and what is made of that (a condition, the worst by a read of part of an array) would stay.
  std::vector<bool> due(graph.blocks.size(), true);
  bool patient = true;
  const auto can_be_met = [&](std::size_t b) {
    const Graph::Block& block = graph.blocks[b];
    const auto is_met = [&](std::size_t next) { return met[next]; };
    if (block.sweep != nullptr && !met[block.sweep->inside]) return false;
    if (patient && block.condition != nullptr) return std::ranges::all_of(block.successors, is_met);
    return b == Graph::exit || block.successors.empty() || std::ranges::any_of(block.successors, is_met);
  };
  for (bool changed = true; changed && complete();) {
    changed = false;
    for (std::size_t b = graph.blocks.size(); b-- > 0 && complete();) {
      if (!due[b] || !can_be_met(b)) continue;
      due[b] = false;
      changed = changed || !met[b];
      patient = patient || !met[b];
      take_steps(graph.blocks[b].steps.size() + followed_.arrays.size());
      Fates fates = behind(p, solution, b);
      for (std::size_t i = graph.blocks[b].steps.size(); i-- > 0;) step_back(p, graph.blocks[b].steps[i], fates);
      for (std::size_t i = 0; met[b] && i < fates.size(); ++i)
        fates[i] = table_.meet(fates[i], in[b][i]);  // it only ever grows
      const bool same = met[b] && fates == in[b];
      met[b] = true;
      if (same) continue;
      in[b] = std::move(fates);
      for (const std::size_t before : graph.blocks[b].predecessors) changed = due[before] = true;
    }
    if (!changed && patient && std::ranges::find(met, false) != met.end()) {
      patient = false;
      changed = true;
    }
  }
  for (std::size_t b = 0; b < graph.blocks.size(); ++b)
    if (!met[b]) in[b].assign(followed_.arrays.size(), Fate::dead);
  return solution;
}

/// Behind the steps of a procedure for which `is` holds.
template <typename Is>
Flow::Fates Flow::holds_at(Index p, const Fates& at_exit, Is is) {
  const Solution& solution = solution_of(p, at_exit);
  Fates found(followed_.arrays.size(), Fate::dead);
  for (std::size_t b = 0; b < graphs_[p]->blocks.size() && complete(); ++b) {
    const auto& steps = graphs_[p]->blocks[b].steps;
    if (std::ranges::none_of(steps, is)) continue;
    Fates fates = behind(p, solution, b);
    for (std::size_t i = steps.size(); i-- > 0;) {
      for (std::size_t k = 0; is(steps[i]) && k < fates.size(); ++k) found[k] = table_.meet(found[k], fates[k]);
      step_back(p, steps[i], fates);
    }
  }
  return found;
}

const Flow::Solution& Flow::solution_of(Index p, const Fates& at_exit) {
  Solution& known = solutions_[p];
  if (known.in.empty() || known.at_exit != at_exit) known = solve(p, at_exit);
  return known;
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
  Fates fates(followed_.arrays.size(), Fate::dead);
  if (program_.procedures[p].is_main) {
    end(fates);
    return exits_[p] = fates;
  }
  if (entered_[p] || callers_[p].empty() || !asked_.insert(p).second) {
    make_live(fates);
    return fates;
  }
  for (const auto& [caller, call] : callers_[p]) {
    const Expr* const wanted = call;
    const Fates behind = holds_at(caller, exit_of(caller), [wanted](const Step& step) {
      return step.kind == Step::Kind::call && step.call == wanted;
    });
    Remembered outside([&](Fate fate) {
      return table_.filtered(fate, [&](std::size_t number) {
        return std::ranges::none_of(overwritten_[number].depends, [&](Index one) { return own(one, caller); });
      });
    });
    for (std::size_t i = 0; i < fates.size(); ++i) fates[i] = table_.meet(fates[i], outside(behind[i]));
  }
  for (std::size_t i = 0; i < fates.size(); ++i)
    if (own(followed_.arrays[i], p)) fates[i] = Fate::live;  // compilers give large local arrays a place that lasts
  asked_.erase(p);
  return exits_[p] = fates;
}

/// Whether it is known by a name for the linker.
bool Flow::is_of_linker(Index symbol) const {
  const Symbol& s = program_.symbols[symbol];
  return !s.linker_name.empty() && (s.part_of == none || s.placed);
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

std::map<Index, Ways> Flow::at(Index p, const Statement& loop, bool in_flight) {
  std::map<Index, Ways> dead_ways;
  if (!unclear_.empty() || !program_.procedures[p].unclear.empty()) return dead_ways;
  std::set<Index> asked;
  std::set<Index> bound = bound_to_dummies(p, asked);
  add_parts(bound);
  const Fates fates =
      holds_at(p, exit_of(p), [&](const Step& step) { return step.kind == Step::Kind::marker && step.loop == &loop; });
  if (!complete()) return dead_ways;
  const std::set<Index> given = given_at(p, loop);
  for (const Index symbol : tracked_) {
    const Fate fate = fate_of(fates, symbol);
    if (fate == Fate::live || given.contains(symbol) || (in_flight && buffers_.contains(symbol))) continue;
    if (bound.contains(symbol) || (program_.symbols[symbol].doubtful && fate == Fate::dead)) continue;
    if (is_of_linker(symbol) || can_be_named(symbol, p)) dead_ways[symbol] = table_.ways(fate);
  }
  return dead_ways;
}

}  // namespace cppc::fortran
