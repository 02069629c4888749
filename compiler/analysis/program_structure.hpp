/// Which calls and loops are where, and what runs inside a loop.
#pragma once

#include <set>
#include <vector>

#include "points_to.hpp"

namespace cppc::analysis {

class ProgramStructure {
 public:
  ProgramStructure(const ir::Program& program, const PointsTo& points_to);

  [[nodiscard]] const std::vector<ir::Index>& calls_in(ir::Index function) const { return calls_[function]; }
  [[nodiscard]] const std::vector<ir::Index>& loops_in(ir::Index function) const { return loops_[function]; }

  /// Functions that run inside a loop.
  [[nodiscard]] std::set<ir::Index> reached_from(ir::Index loop) const;
  [[nodiscard]] double statements_reached_from(ir::Index loop) const;
  [[nodiscard]] double statements_of_program() const;  ///< as far as they are reached from its beginning

  [[nodiscard]] bool allocates(ir::Index function) const;

  /// Whether one call is made after the other of the same function, perhaps.
  [[nodiscard]] bool follows(ir::Index first, ir::Index second) const;

 private:
  void follow(ir::Index call, std::set<ir::Index>& reached, std::vector<ir::Index>& work) const;
  void follow_all(std::set<ir::Index>& reached, std::vector<ir::Index>& work) const;
  [[nodiscard]] double statements_in(const std::set<ir::Index>& functions) const;

  const ir::Program& program_;
  const PointsTo& points_to_;
  std::vector<std::vector<ir::Index>> calls_, loops_;  ///< by function
};

}  // namespace cppc::analysis
