#include "flow.hpp"

#include <algorithm>
#include <deque>

#include "lower.hpp"

namespace cppc::fortran {

namespace {

using Kind = Expr::Kind;
using Storage = Symbol::Storage;

/// Links of a way, and bytes of an array that it is worth to name.
constexpr std::size_t kMostLinks = 6, kMostOverwrites = 16;
constexpr std::uint64_t kWorthwhile = 4096;
/// Rounds until the summaries of procedures must have settled.
constexpr int kMostRounds = 50;

void meet(Fate& one, const Fate& other) {
  one.live |= other.live;
  one.passed |= other.passed;
  one.by.insert(other.by.begin(), other.by.end());
  if (one.live || one.by.size() > kMostOverwrites) one = {.live = true};
}

bool intersect(const std::set<Index>& one, const std::set<Index>& other) {
  return std::ranges::any_of(one, [&](Index index) { return other.contains(index); });
}

}  // namespace

struct Flow::Step {
  enum class Kind : std::uint8_t { read, change, assign, overwrite, call, outside, everything, marker };
  Kind kind;
  Index symbol = none;
  ExprPtr value;
  const Region* region = nullptr;
  const Expr* call = nullptr;
  const Statement* loop = nullptr;
};

struct Flow::Graph {
  struct Block {
    std::vector<Step> steps;
    std::vector<std::size_t> successors;
    ExprPtr condition;  ///< that decides between two of them; null: that is not known
  };
  std::deque<Block> blocks;
  std::deque<Region> regions;
  static constexpr std::size_t entry = 0, exit = 1;
};

/// Makes a procedure's graph.
class Flow::Builder {
 public:
  Builder(Flow& flow, Index procedure)
      : flow_(flow), program_(flow.program_), graph_(*flow.graphs_[procedure]), procedure_(procedure) {}

  void run() {
    const Procedure& procedure = program_.procedures[procedure_];
    graph_.blocks.resize(2);
    for (const ExprPtr& size : procedure.sizes)
      if (!find_variables(program_, *size, sizes_)) emit({Step::Kind::everything});
    if (!procedure.unclear.empty()) emit({Step::Kind::everything});
    for (const ExprPtr& size : procedure.sizes) read(*size);
    statements(procedure.body);
    go(Graph::exit);
    for (const auto& [label, block] : labels_)
      if (!placed_.contains(label)) {  // where it goes to is not known
        graph_.blocks[block].steps.push_back({Step::Kind::everything});
        graph_.blocks[block].successors.push_back(Graph::exit);
      }
  }

 private:
  struct Open {
    Index construct;
    std::size_t on_leave, on_cycle;
  };

  std::size_t block() {
    graph_.blocks.emplace_back();
    return graph_.blocks.size() - 1;
  }
  void link(std::size_t to) { graph_.blocks[block_].successors.push_back(to); }
  void go(std::size_t to) {
    link(to);
    block_ = block();
  }
  void emit(Step step) {
    const bool changes = step.kind == Step::Kind::change || step.kind == Step::Kind::assign;
    const bool resizes = changes && sizes_.contains(step.symbol);  // arrays keep the sizes that they had at entry
    graph_.blocks[block_].steps.push_back(std::move(step));
    if (resizes) graph_.blocks[block_].steps.push_back({Step::Kind::everything});
  }
  void change_variable(Index symbol) { emit({Step::Kind::change, symbol}); }

  void read_subscripts(const Expr& e) {
    if (e.kind != Kind::element && e.kind != Kind::member) return;
    if (e.parts.front() != nullptr) read_subscripts(*e.parts.front());
    for (std::size_t i = 1; i < e.parts.size(); ++i)
      if (e.parts[i] != nullptr) read(*e.parts[i]);
  }
  void read(const Expr& e) {
    if (e.kind == Kind::call) return call(e, false);
    if (const Index symbol = root(e); symbol != none) {
      read_subscripts(e);
      if (!skipped_.contains(symbol)) emit({Step::Kind::read, symbol});
      return;
    }
    for (const ExprPtr& part : e.parts)
      if (part != nullptr) read(*part);
  }
  void change(const Expr& e) {
    if (const Index symbol = root(e); symbol != none) return change_variable(symbol);
    for (const ExprPtr& part : e.parts)
      if (part != nullptr) change(*part);
  }
  void touch(const Expr& e) {
    read(e);
    change(e);
  }

  void call(const Expr& e, bool statement) {
    if (e.word == "(address)") {
      if (e.procedure != none) flow_.called_otherwise_[e.procedure] = true;
      return;
    }
    if (e.procedure == none && !e.word.empty()) return intrinsic(e, statement);
    const Procedure* callee = e.procedure != none ? &program_.procedures[e.procedure] : nullptr;
    if (callee == nullptr) return unknown(e);
    if (callee->defined) return known(e);
    if (is_of_runtime(callee->linker_name)) {
      for (const ExprPtr& argument : e.parts)
        if (argument != nullptr) touch(*argument);
      return;
    }
    const models::Model* model = flow_.models_.find(callee->linker_name);
    if (model == nullptr || !models::is_of_mpi(callee->linker_name)) return unknown(e);
    of_mpi(e, *model);
  }
  void intrinsic(const Expr& e, bool statement) {
    if (e.word == "loc" || e.word == "c_loc" || e.word == "c_f_pointer")
      flow_.unclear_ = "addresses of variables are taken (" + e.word + ")";
    for (const ExprPtr& argument : e.parts) {
      if (argument == nullptr) continue;
      read(*argument);
      if (statement) change(*argument);
    }
  }
  void unknown(const Expr& e) {
    for (const ExprPtr& argument : e.parts)
      if (argument != nullptr) read(*argument);
    emit({Step::Kind::outside});
    flow_.unknown_.push_back(&e);
  }
  void known(const Expr& e) {
    for (const ExprPtr& argument : e.parts) {
      if (argument == nullptr) continue;
      if (root(*argument) != none)
        read_subscripts(*argument);
      else
        read(*argument);
    }
    emit({.kind = Step::Kind::call, .call = &e});
  }
  /// Buffers are read or written by the tables; a receive is no overwrite.
  void of_mpi(const Expr& e, const models::Model& model) {
    const std::string& name = program_.procedures[e.procedure].linker_name;
    const bool keeps = !model.held.empty() || model.shows >= 0 || model.callback >= 0 || model.keeps_callback;
    if (keeps || name.starts_with("mpi_get_address") || name.starts_with("mpi_address"))
      flow_.unclear_ = "MPI keeps addresses of variables (" + name + ")";
    using models::Traffic;
    const Traffic traffic = model.communication.traffic;
    if (traffic == Traffic::start) return emit({Step::Kind::everything});  // reads what it was given before
    if (model.communication.request >= 0 && traffic != Traffic::complete && traffic != Traffic::test)
      flow_.requests_.push_back(&e);
    const auto is_place = [this](const ExprPtr& argument) {  // MPI_IN_PLACE, MPI_BOTTOM
      const Index symbol = argument != nullptr ? root(*argument) : none;
      return symbol != none &&
             (program_.symbols[symbol].name == "mpi_in_place" || program_.symbols[symbol].name == "mpi_bottom");
    };
    const bool anything = std::ranges::any_of(e.parts, is_place);
    const auto in = [](const std::vector<int>& list, int i) { return std::ranges::find(list, i) != list.end(); };
    for (int i = 0; i < static_cast<int>(e.parts.size()); ++i) {
      const ExprPtr& argument = e.parts[static_cast<std::size_t>(i)];
      if (argument == nullptr) continue;
      if (anything && root(*argument) != none && program_.symbols[root(*argument)].name == "mpi_bottom")
        return emit({Step::Kind::everything});
      const bool writes =
          in(model.writes, i) || in(model.sets, i) || (model.writes_from >= 0 && i >= model.writes_from);
      const bool reads = !writes || in(model.reads, i) || anything || (model.reads_from >= 0 && i >= model.reads_from);
      if (reads)
        read(*argument);
      else
        read_subscripts(*argument);
      if (writes) change(*argument);
    }
  }

  void statements(const Statements& list) {
    for (const Statement& s : list) statement(s);
  }

  void statement(const Statement& s) {
    using StatementKind = Statement::Kind;
    switch (s.kind) {
      case StatementKind::assign:
        return assign(s);
      case StatementKind::call:
        return call(*s.expressions.front(), true);
      case StatementKind::touch:
        for (const ExprPtr& e : s.expressions) {
          read(*e);
          if (s.changes) change(*e);
        }
        return;
      case StatementKind::branch:
        return branch(s);
      case StatementKind::loop:
        return loop(s);
      case StatementKind::leave:
      case StatementKind::cycle:
        for (const Open& open : open_)
          if (open.construct == s.label) return go(s.kind == StatementKind::leave ? open.on_leave : open.on_cycle);
        return;
      case StatementKind::jump: {
        for (const Index label : s.labels) link(block_of(label));
        const std::size_t next = block();
        if (s.falls_through) link(next);
        block_ = next;
        return;
      }
      case StatementKind::end:
        return go(Graph::exit);
      case StatementKind::stop:
        block_ = block();  // nobody reads anything after it
        return;
      case StatementKind::label: {
        const std::size_t here = block_of(s.label);
        placed_.insert(s.label);
        link(here);
        block_ = here;
        return;
      }
    }
  }

  void assign(const Statement& s) {
    read(*s.value);
    read_subscripts(*s.target);
    const Index symbol = root(*s.target);
    if (symbol == none) return change(*s.target);
    if (s.target->kind == Kind::name && !program_.symbols[symbol].array)
      return emit({.kind = Step::Kind::assign, .symbol = symbol, .value = s.value});
    change_variable(symbol);
    if (!skipped_.contains(symbol))
      if (auto region = region_of(program_, s)) overwrite(std::move(*region));
  }
  void overwrite(Region region) {
    graph_.regions.push_back(std::move(region));
    emit({.kind = Step::Kind::overwrite, .region = &graph_.regions.back()});
  }

  std::size_t block_of(Index label) {
    if (const auto found = labels_.find(label); found != labels_.end()) return found->second;
    return labels_[label] = block();
  }

  void branch(const Statement& s) {
    const std::size_t after = block();
    open_.push_back({s.construct, after, after});
    bool all = false;
    for (const Case& one : s.cases) {
      all = one.condition == nullptr;
      if (all) {
        statements(one.body);
        link(after);
        break;
      }
      read(*one.condition);
      const std::size_t then = block(), otherwise = block();
      std::set<Index> variables;
      if (find_variables(program_, *one.condition, variables)) graph_.blocks[block_].condition = one.condition;
      link(then);
      link(otherwise);
      block_ = then;
      statements(one.body);
      link(after);
      block_ = otherwise;
    }
    if (!all && !s.complete) link(after);
    open_.pop_back();
    block_ = after;
  }

  void loop(const Statement& s) {
    for (const ExprPtr& e : {s.low, s.high, s.step})
      if (e != nullptr) read(*e);
    std::vector<Region> regions;
    for (Region& region : regions_of(program_, s))
      if (!skipped_.contains(region.symbol)) regions.push_back(std::move(region));
    for (const Region& region : regions) skipped_.insert(region.symbol);
    const std::size_t test = block(), inside = block(), after = block();
    link(test);
    block_ = test;
    if (s.variable != none) change_variable(s.variable);
    if (s.value != nullptr) read(*s.value);
    link(inside);
    if (s.variable != none || s.value != nullptr) link(after);
    block_ = inside;
    emit({.kind = Step::Kind::marker, .loop = &s});
    const std::size_t next = block();
    open_.push_back({s.construct, after, next});
    statements(s.body);
    open_.pop_back();
    link(next);
    block_ = next;
    link(test);
    block_ = after;
    for (Region& region : regions) {
      skipped_.erase(region.symbol);
      overwrite(std::move(region));
    }
  }

  Flow& flow_;
  const Program& program_;
  Graph& graph_;
  const Index procedure_;
  std::size_t block_ = Graph::entry;
  std::map<Index, std::size_t> labels_;
  std::set<Index> placed_;
  std::vector<Open> open_;
  std::set<Index> sizes_;    ///< variables that arrays' bounds depend on
  std::set<Index> skipped_;  ///< arrays whose reads do no harm to what the loop around overwrites
};

Flow::Flow(const Program& program, const models::Models& models)
    : program_(program), models_(models), unclear_(program.unclear) {
  const std::size_t count = program.procedures.size();
  summaries_.resize(count);
  called_otherwise_.resize(count);
  callers_.resize(count);
  for (Index symbol = 0; symbol < program.symbols.size(); ++symbol)
    if (tracked(symbol)) tracked_.push_back(symbol);
  for (Index p = 0; p < count; ++p) {
    graphs_.push_back(std::make_unique<Graph>());
    if (program.procedures[p].defined) Builder(*this, p).run();
  }
  open_ = !program.left_out.empty() ||
          std::ranges::none_of(program.procedures, [](const Procedure& procedure) { return procedure.is_main; });
  for (Index p = 0; p < count; ++p)
    for (const Graph::Block& block : graphs_[p]->blocks)
      for (const Step& step : block.steps) {
        if (step.kind == Step::Kind::call) callers_[step.call->procedure].emplace_back(p, step.call);
        open_ = open_ || step.kind == Step::Kind::everything || step.kind == Step::Kind::outside;
      }
  find_buffers();
  if (unclear_.empty()) summarise();
}

/// What requests may read or write while they are active, and what code that is not known may have the address of.
void Flow::find_buffers() {
  give(requests_, buffers_);
  give(unknown_, given_);
  for (Index symbol = 0; symbol < program_.symbols.size(); ++symbol) {
    const Index owner = program_.symbols[symbol].procedure;
    for (Index p = 0; owner != none && p < program_.procedures.size(); ++p)
      if (program_.procedures[p].host == owner && called_otherwise_[p]) given_.insert(symbol);
  }
}

/// By all of their names.
void Flow::give(const std::vector<const Expr*>& calls, std::set<Index>& given) const {
  const auto see = [&given](const Expr& call, auto is_given) {
    bool grew = false;
    for (std::size_t i = 0; i < call.parts.size(); ++i) {
      const Index symbol = call.parts[i] != nullptr ? root(*call.parts[i]) : none;
      if (symbol != none && is_given(i)) grew |= given.insert(symbol).second;
    }
    return grew;
  };
  for (const Expr* call : calls) see(*call, [](std::size_t) { return true; });
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& callers : callers_)
      for (const auto& [caller, call] : callers) {
        const auto& dummies = program_.procedures[call->procedure].dummies;
        grew |= see(*call, [&](std::size_t i) { return i < dummies.size() && given.contains(dummies[i]); });
      }
  }
}

Flow::~Flow() = default;

bool Flow::tracked(Index index) const {
  const Symbol& symbol = program_.symbols[index];
  if (!symbol.array || !symbol.unclear.empty()) return false;
  return symbol.storage == Storage::dummy || symbol.bytes >= kWorthwhile;
}

bool Flow::own(Index symbol, Index procedure) const {
  const Symbol& s = program_.symbols[symbol];
  return s.procedure == procedure && s.storage != Storage::common && s.storage != Storage::module;
}

void Flow::make_live(Fates& fates) const {
  for (const Index symbol : tracked_) fates[symbol] = {.live = true};
}

bool Flow::reachable(Index symbol) const {
  const Symbol& s = program_.symbols[symbol];
  return !s.linker_name.empty() || s.storage == Storage::dummy || given_.contains(symbol);
}

bool Flow::depends_on_reachable(const Fate& fate) const {
  return std::ranges::any_of(fate.by, [this](std::size_t number) {
    return std::ranges::any_of(overwritten_[number].depends, [this](Index symbol) { return reachable(symbol); });
  });
}

/// It reads and changes what has a name for the linker, or was ever given to such a procedure.
void Flow::call_outside(Fates& fates) const {
  for (const Index symbol : tracked_)
    if (reachable(symbol)) fates[symbol] = {.live = true};
  for (auto& [symbol, fate] : fates)
    if (depends_on_reachable(fate)) fate = {.live = true};
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

/// Changes first, then what is read and overwritten, which depends on them.
void Flow::summarise() {
  const auto count = static_cast<Index>(graphs_.size());
  const auto until_settled = [&](auto improve) {
    for (bool changed = true; changed;) {
      changed = false;
      for (Index p = 0; p < count; ++p)
        if (program_.procedures[p].defined) changed |= improve(p);
    }
  };
  until_settled([&](Index p) {
    Summary made = summaries_[p];
    made.changes = changes_of(p);
    for (const Graph::Block& block : graphs_[p]->blocks)
      for (const Step& step : block.steps)
        made.anything = made.anything || step.kind == Step::Kind::everything ||
                        (step.kind == Step::Kind::call && summaries_[step.call->procedure].anything);
    for (const Graph::Block& block : graphs_[p]->blocks)
      for (const Step& step : block.steps)
        made.outside = made.outside || step.kind == Step::Kind::outside ||
                       (step.kind == Step::Kind::call && summaries_[step.call->procedure].outside);
    const bool grew = made != summaries_[p];
    summaries_[p] = std::move(made);
    return grew;
  });
  int rounds = 0;
  until_settled([&](Index p) {
    if (summaries_[p].anything) return false;
    if (++rounds > kMostRounds * static_cast<int>(count)) {
      unclear_ = "its procedures call each other in too many ways";
      return false;
    }
    Fates at_exit;
    for (const Index symbol : tracked_) at_exit[symbol] = {.passed = true};
    const Fates at_entry = solve(p, at_exit, nullptr, nullptr, nullptr);
    std::map<Index, Fate> made;
    for (const auto& [symbol, fate] : at_entry) {
      const bool inside = own(symbol, p) && program_.symbols[symbol].storage == Storage::local;
      if (!inside && fate != Fate{.passed = true}) made[symbol] = fate;
    }
    const bool grew = made != summaries_[p].at_entry;
    summaries_[p].at_entry = std::move(made);
    return grew;
  });
}

/// The least solution; at the entry. `found`: what holds at a marker, or behind a call.
Flow::Fates Flow::solve(Index p, const Fates& at_exit, const Statement* marker, const Expr* call, Fates* found) {
  const Graph& graph = *graphs_[p];
  std::vector<Fates> in(graph.blocks.size());
  const auto after = [&](std::size_t b) {
    if (b == Graph::exit) return at_exit;
    Fates fates;
    const auto& [steps, successors, condition] = graph.blocks[b];
    if (condition != nullptr && successors.size() == 2) {
      fates = in[successors[0]];
      decide(condition, fates, in[successors[1]]);
      return fates;
    }
    for (const std::size_t next : successors)
      for (const auto& [symbol, fate] : in[next]) meet(fates[symbol], fate);
    return fates;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = graph.blocks.size(); b-- > 0;) {
      Fates fates = after(b);
      for (std::size_t i = graph.blocks[b].steps.size(); i-- > 0;) step_back(p, graph.blocks[b].steps[i], fates);
      for (const auto& [symbol, fate] : in[b]) meet(fates[symbol], fate);  // it only ever grows
      if (fates == in[b]) continue;
      in[b] = std::move(fates);
      changed = true;
    }
  }
  for (std::size_t b = 0; found != nullptr && b < graph.blocks.size(); ++b) {
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
    for (const Index symbol : made.depends) {
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
      return call_outside(fates);
    case Step::Kind::everything:
      return make_live(fates);
    case Step::Kind::marker:
      return;
  }
}

void Flow::call_back(Index /*p*/, const Step& step, Fates& fates) {
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
  Fates before;
  for (const Index symbol : tracked_) {
    const auto after = fates.find(symbol);
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
  if (program_.procedures[p].is_main) return exits_[p] = fates;
  if (open_ || called_otherwise_[p] || callers_[p].empty() || !asked_.insert(p).second) {
    make_live(fates);
    return fates;
  }
  for (const auto& [caller, call] : callers_[p]) {
    Fates behind;
    solve(caller, exit_of(caller), nullptr, call, &behind);
    for (auto& [symbol, fate] : behind) {
      const bool told = std::ranges::all_of(fate.by, [&](std::size_t number) {
        return std::ranges::all_of(overwritten_[number].depends, [&](Index one) { return !own(one, caller); });
      });
      meet(fates[symbol], told ? fate : Fate{.live = true});
    }
  }
  for (const Index symbol : tracked_)
    if (own(symbol, p)) fates[symbol] = {.live = true};  // compilers give large local arrays a place that lasts
  asked_.erase(p);
  return exits_[p] = fates;
}

std::map<Index, Fate> Flow::at(Index p, const Statement& loop, bool in_flight) {
  std::map<Index, Fate> told;
  if (!unclear_.empty() || !program_.procedures[p].unclear.empty()) return told;
  std::set<Index> asked;
  const std::set<Index> bound = bound_to_dummies(p, asked);
  Fates fates;
  solve(p, exit_of(p), &loop, nullptr, &fates);
  for (const Index symbol : tracked_) {
    const auto fate = fates.find(symbol);
    if (given_.contains(symbol) || (in_flight && buffers_.contains(symbol))) continue;
    if (bound.contains(symbol) || (fate != fates.end() && (fate->second.live || fate->second.passed))) continue;
    const Symbol& array = program_.symbols[symbol];
    const bool can_be_named = own(symbol, p) && array.storage != Storage::dummy && !program_.procedures[p].shadows;
    if (!array.linker_name.empty() || can_be_named) told[symbol] = fate != fates.end() ? fate->second : Fate{};
  }
  return told;
}

}  // namespace cppc::fortran
