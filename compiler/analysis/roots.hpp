/// Which variable a pointer was made from: `&p[i].x` leads into the block that `p` leads to, wherever that is. Two
/// pointers to the same kind of memory can then be told apart at run time, by those two variables.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "effects.hpp"

namespace cppc::analysis {

class Roots {
 public:
  Roots(const ir::Program& program, const PointsTo& points_to, const Effects& effects);

  /// The variable whose pointer, perhaps moved within its block, a value is; `nothing` when that is not one variable.
  [[nodiscard]] ir::Node of(ir::Node value) const;

  /// The variables of `function` through which an instruction may read objects of `memory`; none when it may read them
  /// in another way as well.
  [[nodiscard]] std::optional<Objects> of_reads(ir::Index function, const ir::Instruction& instruction,
                                                const Objects& memory) const;

  /// The number of a parameter that is never written, so that its pointer is always the caller's.
  [[nodiscard]] std::optional<std::size_t> fixed_parameter(ir::Index function, ir::Node variable) const;

 private:
  /// What a function reads through the pointers that its parameters are, and in any other way.
  struct Reads {
    std::map<std::size_t, Objects> through;
    Objects otherwise;
    bool operator==(const Reads&) const = default;
  };

  void find_sources();
  void summarise();
  [[nodiscard]] Reads reads_of(ir::Index function) const;
  void add(ir::Index function, ir::Node pointer, const Objects& read, Reads& reads) const;
  [[nodiscard]] ir::Node settled(ir::Node variable) const;
  /// Visits what an instruction reads, and the pointer by which; `nothing` when there is none that says so.
  template <typename Visit>
  void each_read(ir::Index function, const ir::Instruction& instruction, Visit visit) const;

  const ir::Program& program_;
  const PointsTo& points_to_;
  const Effects& effects_;
  std::map<ir::Node, Objects> sources_;  ///< of temporaries and locals: variables and temporaries that they get
  Objects mixed_;                        ///< those that get something else as well
  Objects written_;                      ///< variables
  std::vector<Reads> functions_;
};

}  // namespace cppc::analysis
