#include "flow_graph.hpp"

#include <algorithm>

#include "lower.hpp"
#include "own_data.hpp"

namespace cppc::fortran {

using Kind = Expr::Kind;

/// Makes a procedure's graph.
class Flow::Builder {
 public:
  Builder(Flow& flow, Index procedure)
      : flow_(flow), program_(flow.program_), graph_(*flow.graphs_[procedure]), procedure_(procedure) {}

  void run() {
    const Procedure& procedure = program_.procedures[procedure_];
    graph_.blocks.resize(2);
    for (const ExprPtr& size : procedure.sizes)
      if (!find_variables(program_, *size, graph_.sizes)) emit({Step::Kind::everything});
    if (!procedure.unclear.empty()) emit({Step::Kind::everything});
    for (const ExprPtr& size : procedure.sizes) read(*size);
    statements(procedure.body);
    go(Graph::exit);
    for (const auto& [label, block] : labels_)
      if (!placed_.contains(label)) {  // where it goes to is not known
        graph_.blocks[block].steps.push_back({Step::Kind::everything});
        graph_.blocks[block].successors.push_back(Graph::exit);
      }
    graph_.link_endless();
    graph_.find_predecessors();
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
    const bool resizes = changes && graph_.sizes.contains(step.symbol);
    graph_.blocks[block_].steps.push_back(std::move(step));
    if (resizes) graph_.blocks[block_].steps.push_back({Step::Kind::everything});
  }
  void change_variable(Index symbol, bool whole) {
    emit({Step::Kind::change, symbol});
    change_with(symbol, whole);
  }
  void change_with(Index symbol, bool whole) {
    if (const Index of = program_.symbols[symbol].part_of; of != none) emit({Step::Kind::change, of});
    if (whole)
      for (const Index other : besides(program_, symbol)) emit({Step::Kind::change, other});
  }
  /// As what it is part of changes or is read.
  void read_parts(const Expr& e) {
    if (e.kind != Kind::name) return;
    for (const Index part : program_.symbols[e.symbol].parts) emit({Step::Kind::read, part});
  }

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
      const bool plain = e.kind == Kind::element && e.parts.front()->kind == Kind::name;
      if (!skipped_.contains(symbol))
        emit({.kind = Step::Kind::read, .symbol = symbol, .element = plain ? &e : nullptr});
      return read_parts(e);
    }
    for (const ExprPtr& part : e.parts)
      if (part != nullptr) read(*part);
  }
  void change(const Expr& e) {
    if (const Index symbol = root(e); symbol != none) return change_variable(symbol, e.kind == Kind::name);
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
    if (callee->defined) return statement ? known(e) : perhaps(e);
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
    if (takes_address(e)) flow_.unclear_ = "addresses of variables are taken (" + e.word + ")";
    for (const ExprPtr& argument : e.parts) {
      if (argument == nullptr) continue;
      read(*argument);
      if (statement) change(*argument);
    }
  }
  /// C_LOC is for what has TARGET, which any address may lead to.
  bool takes_address(const Expr& e) const {
    if (e.word == "loc") return true;
    if (!e.word.ends_with("c_loc")) return false;
    const Index symbol = !e.parts.empty() && e.parts.front() != nullptr ? root(*e.parts.front()) : none;
    return symbol == none || program_.symbols[symbol].unclear.empty();
  }
  void unknown(const Expr& e) {
    for (const ExprPtr& argument : e.parts)
      if (argument != nullptr) read(*argument);
    emit({.kind = Step::Kind::outside, .call = &e});
    flow_.unknown_.push_back(&e);
  }
  /// Of a function: where the rest decides the value, compilers leave it out, and implied loops may make no pass.
  void perhaps(const Expr& e) {
    const std::size_t called = block(), after = block();
    link(called);
    link(after);
    block_ = called;
    known(e);
    link(after);
    block_ = after;
  }
  void known(const Expr& e) {
    for (const ExprPtr& argument : e.parts) {
      if (argument == nullptr) continue;
      if (root(*argument) != none) {
        read_subscripts(*argument);
        read_parts(*argument);
      } else {
        read(*argument);
      }
    }
    emit({.kind = Step::Kind::call, .call = &e, .skipped = skipped_});
    for (std::size_t i = 0; i < e.parts.size(); ++i)
      if (e.parts[i] != nullptr && e.parts[i]->kind == Kind::name) change_besides(e, i);
  }
  /// What a call may change of an argument but what the callee knows: components of a variable, and the block that a
  /// dummy gets which is allocatable or a pointer itself.
  void change_besides(const Expr& call, std::size_t i) {
    const auto& dummies = program_.procedures[call.procedure].dummies;
    const Symbol& given = program_.symbols[call.parts[i]->symbol];
    const bool plain = i < dummies.size() && dummies[i] != none && program_.symbols[dummies[i]].unclear.empty();
    if (given.parts.empty() && (plain || given.shape == none)) return;
    for (const Index other : besides(program_, call.parts[i]->symbol)) emit({Step::Kind::change, other});
  }
  /// For later calls, in which it may read and change what it is not given.
  bool keeps_function(const Expr& e, const models::Model& model) const {
    if (model.callback < 0) return model.keeps_callback;
    const auto argument = static_cast<std::size_t>(model.callback);
    const ExprPtr function = argument < e.parts.size() ? e.parts[argument] : nullptr;
    return function == nullptr || function->procedure == none || !has_own_data_only(program_, function->procedure);
  }
  /// Buffers are read or written by the tables; a receive is no overwrite.
  void of_mpi(const Expr& e, const models::Model& model) {
    const std::string& name = program_.procedures[e.procedure].linker_name;
    const bool keeps = !model.held.empty() || model.shows >= 0 || keeps_function(e, model);
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
      go_beyond(*argument, writes);
    }
    receive(e, name);
  }
  /// A datatype or a count may take in the components around the one that is named.
  void go_beyond(const Expr& argument, bool writes) {
    const Index symbol = root(argument);
    if (symbol == none) return;
    for (const Index other : neighbours(program_, symbol)) {
      emit({Step::Kind::read, other});
      if (writes) emit({Step::Kind::change, other});
    }
  }
  /// What collective operations fill, whoever sends it.
  void receive(const Expr& e, const std::string& name) {
    struct Places {
      std::size_t buffer, count, type, communicator;
      bool of_each;
    };
    static const std::map<std::string, Places> calls = {{"mpi_alltoall_", {3, 4, 5, 6, true}},
                                                        {"mpi_allgather_", {3, 4, 5, 6, true}},
                                                        {"mpi_allreduce_", {1, 2, 3, 5, false}}};
    const auto found = calls.find(name);
    if (found == calls.end()) return;
    const auto& [buffer, count, type, communicator, of_each] = found->second;
    if (e.parts.size() <= communicator) return;
    const ExprPtr& array = e.parts[buffer];
    if (array == nullptr || array->kind != Kind::name || skipped_.contains(array->symbol)) return;
    const Symbol& symbol = program_.symbols[array->symbol];
    if (!symbol.array || !symbol.unclear.empty() || symbol.element == 0) return;
    Region region{.symbol = array->symbol, .view = array->symbol, .alone = true};
    region.received = {e.parts[count], e.parts[type], of_each ? e.parts[communicator] : nullptr};
    for (const ExprPtr& part : region.received)
      if (part != nullptr && !find_variables(program_, *part, region.depends)) return;
    if (region.received[0] != nullptr && region.received[1] != nullptr) overwrite(std::move(region));
  }

  void statements(const Statements& list) {
    known_.clear();
    for (const Statement& s : list) {
      statement(s);
      if (s.kind != Statement::Kind::assign || s.target->kind != Kind::name || s.value->kind != Kind::constant)
        known_.clear();
      else if (program_.symbols[s.target->symbol].integer && program_.symbols[s.target->symbol].unclear.empty())
        known_[s.target->symbol] = s.value;
    }
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
        emit({Step::Kind::stop});
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
    const bool whole = s.target->kind == Kind::name;
    if (whole && !program_.symbols[symbol].array) {
      emit({.kind = Step::Kind::assign, .symbol = symbol, .value = s.value});
      change_with(symbol, true);
      return;
    }
    change_variable(symbol, false);
    if (!skipped_.contains(symbol))
      if (auto region = region_of(program_, flow_.effects_, s)) overwrite(std::move(*region));
    if (whole && program_.symbols[symbol].descriptor == Symbol::Descriptor::allocatable)  // perhaps another block now
      emit({Step::Kind::change, program_.symbols[symbol].shape});
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
    if (s.team) emit({Step::Kind::everything});
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

  /// Whether there is a first pass.
  static bool comes_in(const Statement& s) {
    const auto is_known = [](const ExprPtr& e) { return e != nullptr && e->kind == Kind::constant; };
    if (s.variable == none || !is_known(s.low) || !is_known(s.high)) return false;
    return s.step == nullptr ? s.low->value <= s.high->value : s.low->value == s.high->value && is_known(s.step);
  }

  static bool calls(const Statements& list) {
    return std::ranges::any_of(list, [](const Statement& s) {
      return s.kind == Statement::Kind::call || calls(s.body) ||
             std::ranges::any_of(s.cases, [](const Case& one) { return calls(one.body); });
    });
  }
  /// Whether it goes through all of its passes, and has calls in them: others are nests (regions.hpp).
  bool is_sweep(const Statement& s) const {
    const bool by_one = s.step == nullptr || is(s.step, 1) || is(s.step, -1);
    std::set<Index> variables;
    return s.variable != none && program_.symbols[s.variable].integer && by_one && !jumps(s.body) && calls(s.body) &&
           find_variables(program_, *s.low, variables) && find_variables(program_, *s.high, variables);
  }

  void loop(const Statement& s) {
    for (const ExprPtr& e : {s.low, s.high, s.step})
      if (e != nullptr) read(*e);
    std::vector<Region> regions;
    for (Region& region : regions_of(program_, flow_.effects_, s, known_))
      if (!skipped_.contains(region.symbol)) regions.push_back(std::move(region));
    for (const Region& region : regions) skipped_.insert(region.symbol);
    const std::size_t test = block(), inside = block(), after = block();
    const bool sweeps = is_sweep(s);
    if (sweeps) {
      link(block());
      block_ = graph_.blocks.size() - 1;
    }
    const std::size_t entry = block_, first = graph_.blocks.size();
    if (comes_in(s)) {
      change_variable(s.variable, false);
      link(inside);
    } else {
      link(test);
    }
    block_ = test;
    if (s.variable != none) change_variable(s.variable, false);
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
    if (sweeps) {
      graph_.sweeps.push_back({&s, entry, inside, first, graph_.blocks.size()});
      graph_.blocks[entry].sweep = &graph_.sweeps.back();
    }
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
  Values known_;             ///< of the statements right before
  std::set<Index> skipped_;  ///< arrays whose reads do no harm to what the loop around overwrites
};

void Flow::Graph::link_endless() {
  std::vector<bool> ends(blocks.size());
  for (bool grew = true; grew;) {
    grew = false;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const auto& next = blocks[b].successors;
      if (ends[b] || (!next.empty() && std::ranges::none_of(next, [&](std::size_t one) { return ends[one]; })))
        continue;
      grew = ends[b] = true;
    }
  }
  for (std::size_t b = 0; b < blocks.size(); ++b)
    if (!ends[b]) blocks[b].successors.push_back(exit);
}

void Flow::Graph::find_predecessors() {
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for (const std::size_t next : blocks[b].successors)
      if (auto& before = blocks[next].predecessors; before.empty() || before.back() != b) before.push_back(b);
  for (const Sweep& sweep : sweeps) blocks[sweep.inside].predecessors.push_back(sweep.entry);  // by Flow::sweep()
}

void Flow::make_graph(Index procedure) { Builder(*this, procedure).run(); }

}  // namespace cppc::fortran
