/// Which variable a pointer was made from: `&p[i].x` leads into the block that `p` leads to, wherever that is. Two
/// pointers to the same kind of memory can then be told apart at run time, by those two variables.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "effects.hpp"

namespace cppc::analysis {

class Roots {
 public:
  Roots(const ir::Program& program, const PointsTo& points_to, const Effects& effects);

  /// The variable whose pointer, perhaps moved within its block, a value is; `nothing` when that is not one variable.
  [[nodiscard]] ir::Node of(ir::Node value) const;

  /// Whether a pointer leads to a variable that exists, wherever the function is: it is a parameter for which all calls
  /// pass the address of one.
  [[nodiscard]] bool leads_to_variable(ir::Node pointer) const;

  /// The array or structure that a value is an address in; `nothing` when it is not one variable's.
  [[nodiscard]] ir::Node named(ir::Node value) const;

  /// The member of one structure variable, of which there is only one at a time, whose pointer, perhaps moved within
  /// its block, a value is.
  [[nodiscard]] std::optional<ir::Part> member(ir::Node value) const;

  /// The same of what a parameter that is never written leads to.
  [[nodiscard]] std::optional<ir::Part> parameters_member(ir::Index function, ir::Node value) const;

  /// The variable that a value is the address of, or of a part of.
  [[nodiscard]] ir::Node address_in(ir::Node value) const;

  /// Whether a value is just the pointer of what `of` or `member` say, and never none.
  [[nodiscard]] bool certain(ir::Node value) const;

  /// A variable by which a function reaches a member of a structure wherever it is: the structure, or what points to
  /// it.
  [[nodiscard]] ir::Node way_to(ir::Index function, ir::Part member) const;

  /// All calls of a function; null when others may call it.
  [[nodiscard]] const std::vector<ir::Index>* callers(ir::Index function) const;
  [[nodiscard]] const std::vector<ir::Index>& known_callers(ir::Index function) const { return callers_[function]; }

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
    void add(const Reads& other);
  };

  /// A member that a temporary gets: of an object, or of what a pointer leads to.
  struct Got {
    ir::Node from;
    bool pointer;
    ir::Index member;
  };

  void find_sources();
  [[nodiscard]] bool may_recurse(ir::Index function) const;
  [[nodiscard]] bool has_pointer(ir::Node variable, ir::Index member) const;
  void summarise();
  [[nodiscard]] Reads reads_of(ir::Index function) const;
  void add(ir::Index function, ir::Node pointer, const Objects& read, Reads& reads) const;
  [[nodiscard]] ir::Node settled(ir::Node variable) const;
  /// What a variable or temporary gets, when it is only ever one thing.
  [[nodiscard]] ir::Node source(ir::Node value) const { return only_sources_[value]; }
  [[nodiscard]] const Got* only_member(ir::Node value) const;
  void find_callers();
  [[nodiscard]] bool gets_variables(ir::Index function, std::size_t parameter,
                                    std::set<std::pair<ir::Index, std::size_t>>& asked) const;
  /// Visits what an instruction reads, and the pointer by which; `nothing` when there is none that says so.
  template <typename Visit>
  void each_read(ir::Index function, const ir::Instruction& instruction, Visit visit) const;

  const ir::Program& program_;
  const PointsTo& points_to_;
  const Effects& effects_;
  std::map<ir::Node, Objects> sources_;    ///< of temporaries and locals: variables and temporaries that they get
  std::vector<ir::Node> only_sources_;     ///< of all objects; `nothing` where there is not just one
  std::map<ir::Node, Objects> addresses_;  ///< of temporaries: variables whose address they get
  std::map<ir::Node, std::vector<Got>> members_;  ///< of temporaries
  Objects mixed_;                                 ///< those that get something else as well
  Objects nowhere_;                               ///< those that perhaps get what leads nowhere
  Objects written_;                               ///< variables
  std::vector<Reads> functions_;
  std::vector<Reads> several_;                   ///< of any of the functions of a set (Effects::several())
  std::vector<std::vector<ir::Index>> callers_;  ///< calls of each function
  std::vector<bool> called_otherwise_;           ///< functions
};

}  // namespace cppc::analysis
