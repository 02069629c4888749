#include "lower_procedure.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace cppc::fortran {

namespace {

using ir::Node;
using ir::Op;
using Storage = Symbol::Storage;

/// `n > 0` and `n /= 0`.
bool says_not_zero(const Expr& e) {
  if (e.kind != Expr::Kind::operate || (e.word != ">" && e.word != "!=") || e.parts.size() != 2) return false;
  const ExprPtr& other = e.parts[1];
  return e.parts[0] != nullptr && other != nullptr && other->kind == Expr::Kind::constant && other->value == 0;
}

class Lowering {
 public:
  Lowering(const Program& tree, Objects& objects, Lowered& lowered, Index procedure)
      : tree_(tree),
        objects_(objects),
        lowered_(lowered),
        program_(lowered.program),
        procedure_(procedure),
        index_(function_of(procedure)) {}

  void run() {
    const Procedure& procedure = tree_.procedures[procedure_];
    function().blocks.resize(2);
    function().where = objects_.position(procedure.place);
    function().opaque = procedure.unclear;
    for (const Index dummy : procedure.dummies)
      function().parameters.push_back(dummy == none ? ir::nothing : objects_.of(dummy));
    for (const ExprPtr& size : procedure.sizes) read(*size);
    statements(procedure.body);
    go(ir::exit_block);
    for (const auto& [label, block] : labels_)
      if (!placed_.contains(label)) function().opaque = "it has a jump that is not followed";
  }

 private:
  struct Open {
    Index construct;
    ir::Index on_leave, on_cycle;
  };

  ir::Function& function() { return program_.functions[index_]; }
  ir::Index block() {
    function().blocks.emplace_back();
    return static_cast<ir::Index>(function().blocks.size() - 1);
  }
  void go(ir::Index to) {
    function().blocks[block_].successors.push_back(to);
    block_ = block();
  }
  void at(ir::Index block) { block_ = block; }
  void emit(Op op, Node a, Node b = ir::nothing, ir::Index index = ir::none) {
    function().blocks[block_].instructions.push_back({op, a, b, index});
  }
  Node temporary() { return program_.add({}); }

  bool is_reference(Index symbol) const { return tree_.symbols[symbol].storage == Storage::dummy; }

  void read_variable(Index symbol) {
    const Node value = temporary(), node = objects_.of(symbol);
    emit(Op::read, value, node);
    if (is_reference(symbol)) emit(Op::load, temporary(), value);
    reads_.push_back(node);
  }
  void change_variable(Index symbol, bool whole) {
    const Node node = objects_.of(symbol);
    if (is_reference(symbol)) {
      const Node pointer = temporary();
      emit(Op::read, pointer, node);
      return emit(Op::store, pointer);
    }
    emit(whole && program_.objects[node].scalar ? Op::write : Op::change, node);
  }
  Node address_of(Index symbol) {
    const Node pointer = temporary(), node = objects_.of(symbol);
    if (!is_reference(symbol)) program_.objects[node].address_taken = true;
    emit(is_reference(symbol) ? Op::read : Op::address, pointer, node);
    return pointer;
  }

  /// Everything but the variable that a designator names in the end.
  void read_subscripts(const Expr& e) {
    if (e.kind == Expr::Kind::other) return read(e);
    if (e.kind != Expr::Kind::element && e.kind != Expr::Kind::member) return;
    if (e.parts.front() != nullptr) read_subscripts(*e.parts.front());
    for (std::size_t i = 1; i < e.parts.size(); ++i)
      if (e.parts[i] != nullptr) read(*e.parts[i]);
  }
  void read(const Expr& e) {
    if (e.kind == Expr::Kind::call) return call(e);
    if (const Index symbol = root(e); symbol != none) {
      read_subscripts(e);
      return read_variable(symbol);
    }
    for (const ExprPtr& part : e.parts)
      if (part != nullptr) read(*part);
  }
  void change(const Expr& e) {
    const Index symbol = root(e);
    if (symbol != none) return change_variable(symbol, e.kind == Expr::Kind::name);
    for (const ExprPtr& part : e.parts)
      if (part != nullptr) change(*part);
  }

  void call(const Expr& e, bool statement = false) {
    if (e.word == "(address)") {
      if (e.procedure != none) objects_.escape(objects_.of_function(e.procedure));
      return;
    }
    const Procedure* callee = e.procedure != none ? &tree_.procedures[e.procedure] : nullptr;
    const bool library = callee == nullptr ? !e.word.empty() : !callee->defined && is_of_runtime(callee->linker_name);
    if (library) {
      const bool changes = statement || callee != nullptr;  // intrinsic functions do not
      for (const ExprPtr& argument : e.parts) {
        if (argument == nullptr) continue;
        read(*argument);
        if (changes) change(*argument);
      }
      return;
    }
    ir::Call made{.caller = index_};
    if (callee != nullptr) {
      made.name = program_.functions[function_of(e.procedure)].name;
      made.callee = function_of(e.procedure);
    } else {
      made.pointer = temporary();
      emit(Op::copy, made.pointer, program_.unknown);
    }
    const auto index = static_cast<ir::Index>(program_.calls.size());
    program_.calls.emplace_back();
    emit(Op::arguments, ir::nothing, ir::nothing, index);
    for (const ExprPtr& argument : e.parts) add_argument(argument, made);
    made.result = temporary();
    put_here(made);
    program_.calls[index] = std::move(made);
    emit(Op::call, ir::nothing, ir::nothing, index);
  }

  /// A call is made in the statement that is being lowered, behind those before.
  void put_here(ir::Call& made) {
    made.loop = loop_;
    made.in_team = in_team_;
    made.condition = condition_;
    made.order = ++order_;
    made.where = objects_.position(place_);
  }

  void add_argument(const ExprPtr& argument, ir::Call& made) {
    const Index symbol = argument != nullptr ? root(*argument) : none;
    const ir::Index before = block_;
    reads_.clear();
    Node value = ir::nothing;
    if (symbol != none) {
      read_subscripts(*argument);
      reads_.push_back(objects_.of(symbol));
      value = address_of(symbol);
    } else if (argument != nullptr && argument->word == "(address)" && argument->procedure != none) {
      value = temporary();
      emit(Op::address, value, objects_.of_function(argument->procedure));
      objects_.escape(objects_.of_function(argument->procedure));  // calls through dummies lead outside
    } else {
      if (argument != nullptr) read(*argument);
      value = temporary();
      emit(Op::address, value, program_.text);
    }
    const std::string text = argument != nullptr ? fortran::text(tree_, *argument) : "-";
    made.arguments.push_back(value);
    made.argument_reads.push_back(reads_);
    made.plain.push_back(block_ == before && !text.empty());
    made.texts.push_back(models::is_of_mpi(made.name) ? text : "");
  }

  ir::Index condition(const ExprPtr& e) {
    reads_.clear();
    if (e != nullptr) read(*e);
    ir::Condition made{.mpi_status = ir::Condition::MpiStatus::unrelated, .text = {}, .nonzero = {}, .reads = reads_};
    if (e != nullptr) {
      made.text = fortran::text(tree_, *e);
      if (says_not_zero(*e)) made.nonzero = fortran::text(tree_, *e->parts[0]);
    }
    program_.conditions.push_back(std::move(made));
    return static_cast<ir::Index>(program_.conditions.size() - 1);
  }

  void statements(const Statements& list) {
    for (const Statement& statement : list) {
      place_ = statement.place;
      (loop_ == ir::none ? function().statements : program_.loops[loop_].statements) += 1;
      lower(statement);
    }
  }

  void lower(const Statement& s) {
    using Kind = Statement::Kind;
    switch (s.kind) {
      case Kind::assign:
        read(*s.value);
        read_subscripts(*s.target);
        return change(*s.target);
      case Kind::call:
        return call(*s.expressions.front(), true);
      case Kind::touch:
        for (const ExprPtr& e : s.expressions) {
          read(*e);
          if (s.changes) change(*e);
        }
        return;
      case Kind::branch:
        return branch(s);
      case Kind::loop:
        return loop(s);
      case Kind::leave:
      case Kind::cycle:
        for (const Open& open : open_)
          if (open.construct == s.label) return go(s.kind == Kind::leave ? open.on_leave : open.on_cycle);
        return;
      case Kind::jump: {
        for (const Index label : s.labels) {
          const ir::Index to = block_of(label);  // which may make blocks
          function().blocks[block_].successors.push_back(to);
        }
        const ir::Index next = block();
        if (s.falls_through) function().blocks[block_].successors.push_back(next);
        return at(next);
      }
      case Kind::end:
        return go(ir::exit_block);
      case Kind::stop:
        return stop();
      case Kind::label: {
        const ir::Index here = block_of(s.label);
        placed_.insert(s.label);
        function().blocks[block_].successors.push_back(here);
        return at(here);
      }
    }
  }

  void stop() {
    ir::Call made{.caller = index_};
    made.name = "exit";
    made.callee = exit_function();
    put_here(made);
    program_.calls.push_back(std::move(made));
    emit(Op::call, ir::nothing, ir::nothing, static_cast<ir::Index>(program_.calls.size() - 1));
    go(ir::exit_block);
  }
  ir::Index exit_function() {
    const auto named = [](const ir::Function& function) { return function.name == "exit"; };
    const auto found = std::ranges::find_if(program_.functions, named);
    if (found != program_.functions.end()) return static_cast<ir::Index>(found - program_.functions.begin());
    program_.functions.push_back({.name = "exit"});
    return static_cast<ir::Index>(program_.functions.size() - 1);
  }

  ir::Index block_of(Index label) {
    const auto [found, fresh] = labels_.try_emplace(label, 0);
    if (fresh) {
      const ir::Index made = block();
      labels_[label] = made;
      return made;
    }
    return found->second;
  }

  void branch(const Statement& s) {
    const bool in_team = std::exchange(in_team_, in_team_ || s.team);
    const ir::Index after = block(), around = condition_;
    open_.push_back({s.construct, after, after});
    for (const Case& one : s.cases) {
      if (one.condition == nullptr) {
        statements(one.body);
        function().blocks[block_].successors.push_back(after);
        break;
      }
      const ir::Index made = condition(one.condition), from = block_;
      function().blocks[from].condition = made;
      const ir::Index then = block(), otherwise = block();
      function().blocks[from].successors = {then, otherwise};
      at(then);
      condition_ = made;
      statements(one.body);
      condition_ = around;
      function().blocks[block_].successors.push_back(after);
      at(otherwise);
    }
    if (!s.complete || s.cases.back().condition != nullptr) function().blocks[block_].successors.push_back(after);
    open_.pop_back();
    at(after);
    in_team_ = in_team;
  }

  void loop(const Statement& s) {
    for (const ExprPtr& e : {s.low, s.high, s.step})
      if (e != nullptr) read(*e);
    const auto index = static_cast<ir::Index>(program_.loops.size());
    ir::Loop made{.function = index_, .parent = loop_, .begin = ++order_};
    made.where = objects_.position(s.place);
    made.trips = trips(s);
    made.obstacle = obstacle_of(s);
    made.marker = static_cast<ir::Index>(program_.markers.size());
    program_.markers.push_back({.function = index_,
                                .loop = index,
                                .where = made.where,
                                .handle = static_cast<ir::Index>(lowered_.sites.size())});
    lowered_.sites.push_back({procedure_, &s});
    program_.loops.push_back(made);
    const ir::Index outer = loop_;
    loop_ = index;
    const ir::Index test = block(), inside = block(), next = block(), after = block();
    function().blocks[block_].successors.push_back(test);
    at(test);
    if (s.variable != none) change_variable(s.variable, true);
    if (s.value != nullptr) read(*s.value);
    const bool endless = s.variable == none && s.value == nullptr;
    function().blocks[block_].successors.push_back(inside);
    if (!endless) function().blocks[block_].successors.push_back(after);
    at(inside);
    emit(Op::marker, ir::nothing, ir::nothing, program_.loops[index].marker);
    open_.push_back({s.construct, after, next});
    statements(s.body);
    open_.pop_back();
    function().blocks[block_].successors.push_back(next);
    at(next);
    function().blocks[next].successors.push_back(test);
    at(after);
    program_.loops[index].end = ++order_;
    loop_ = outer;
  }

  static double trips(const Statement& s) {
    const auto known = [](const ExprPtr& e) { return e != nullptr && e->kind == Expr::Kind::constant; };
    if (!known(s.low) || !known(s.high)) return 0;
    return std::max(1.0, static_cast<double>(s.high->value - s.low->value + 1));
  }

  std::string obstacle_of(const Statement& s) const {
    if (!s.obstacle.empty()) return s.obstacle;
    if (tree_.procedures[procedure_].pure) return "it is in a pure procedure";
    return s.place.in_source && s.inside.in_source && s.place.file == s.inside.file
               ? ""
               : "the loop's header is in an included file, or comes from a macro";
  }

  const Program& tree_;
  Objects& objects_;
  Lowered& lowered_;
  ir::Program& program_;
  const Index procedure_;
  const ir::Index index_;
  ir::Index block_ = ir::entry_block;
  ir::Index loop_ = ir::none, condition_ = ir::none;
  unsigned order_ = 0;
  bool in_team_ = false;  ///< several threads may run it
  Place place_;
  std::vector<Node> reads_;  ///< of the expression that is being read
  std::vector<Open> open_;
  std::map<Index, ir::Index> labels_;
  std::set<Index> placed_;
};

}  // namespace

void lower_procedure(const Program& tree, Objects& objects, Lowered& lowered, Index procedure) {
  Lowering(tree, objects, lowered, procedure).run();
}

}  // namespace cppc::fortran
