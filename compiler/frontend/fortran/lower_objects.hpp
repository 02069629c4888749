/// The objects that functions of the representation share: variables, and procedures whose address is taken.
#pragma once

#include <vector>

#include "lower.hpp"

namespace cppc::fortran {

/// Number of a procedure's function.
inline ir::Index function_of(Index procedure) { return procedure + 1; }

class Objects {
 public:
  /// Adds all variables to the program.
  Objects(const Program& tree, ir::Program& program);

  [[nodiscard]] ir::Node of(Index symbol) const { return nodes_[symbol]; }
  ir::Node of_function(Index procedure);

  /// Code outside the program has its address.
  void escape(ir::Node object);

  ir::Position position(const Place& place);

 private:
  void add(const Symbol& symbol);

  const Program& tree_;
  ir::Program& program_;
  std::vector<ir::Node> nodes_, functions_;  ///< by symbol, by procedure
};

}  // namespace cppc::fortran
