/// Makes a procedure's graph of its statements. For flow_graph*.cpp only.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "flow_graph.hpp"
#include "models/models.hpp"

namespace cppc::fortran {

class Flow::Builder {
 public:
  Builder(Flow& flow, Index procedure)
      : flow_(flow), program_(flow.program_), graph_(*flow.graphs_[procedure]), procedure_(procedure) {}

  void run();

 private:
  struct Open {
    Index construct;
    std::size_t on_leave, on_cycle;
  };

  std::size_t block();
  void link(std::size_t to) { graph_.blocks[block_].successors.push_back(to); }
  void go(std::size_t to);
  void emit(Step step);
  void change_variable(Index symbol, bool whole);
  void change_with(Index symbol, bool whole);
  void read_parts(const Expr& e);
  void read_subscripts(const Expr& e);
  void read(const Expr& e);
  void change(const Expr& e);

  // Calls (flow_graph_calls.cpp).
  void call(const Expr& e, bool statement);
  void intrinsic(const Expr& e, bool statement);
  bool takes_address(const Expr& e) const;
  void unknown(const Expr& e);
  void perhaps(const Expr& e);
  void known(const Expr& e);
  void change_besides(const Expr& call, std::size_t i);
  bool keeps_function(const Expr& e, const models::Model& model) const;
  void of_mpi(const Expr& e, const models::Model& model);
  void use_whole(const Expr& argument, bool reads, bool writes);
  void receive(const Expr& e, const std::string& name);

  // Statements.
  void statements(const Statements& list);
  void statement(const Statement& s);
  [[nodiscard]] bool is_called_for(const Expr& value, const Expr& target) const;
  void assign(const Statement& s);
  void overwrite(Region region);
  std::size_t block_of(Index label);
  void branch(const Statement& s);
  static bool comes_in(const Statement& s);
  static bool calls(const Statements& list);
  bool is_sweep(const Statement& s) const;
  void loop(const Statement& s);

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

}  // namespace cppc::fortran
