/// Memory that is overwritten before it is read again, on all paths from a place on: it need not be saved there. Where
/// exactly it lies is known at run time only, so that the program says so itself when it stops.
#pragma once

#include <optional>

#include "effects.hpp"

namespace cppc::analysis {

/// An overwrite that lies ahead, in this function or in what it calls.
struct Ahead {
  ir::Index overwrite;
  std::vector<ir::Index> calls;  ///< that lead to it, outermost first
};

class Overwrites {
 public:
  Overwrites(const ir::Program& program, const PointsTo& points_to, const Effects& effects)
      : program_(program), points_to_(points_to), effects_(effects) {}

  /// At a marker of `function`, given what is live after the function; null when that is not known.
  [[nodiscard]] std::vector<Ahead> at(ir::Index function, ir::Index marker, const Objects* live_at_exit);

 private:
  struct Fact {
    Ahead ahead;
    Objects target;        ///< what is overwritten, perhaps
    Objects depends;       ///< what says where it is
    bool follows = false;  ///< a pointer has to be followed to say where
  };
  /// By number of the fact: whether it holds; and, inside the nest that it is about, whether it does from its start on.
  struct Held {
    std::vector<bool> holds, completes;
    bool operator==(const Held&) const = default;
  };

  /// Of one function: its facts, and those that each of its instructions establishes.
  struct Facts {
    std::vector<Fact> all;
    std::map<ir::Index, std::vector<std::size_t>> by_overwrite, by_call;
  };

  Facts facts_of(ir::Index function, std::size_t depth);
  const std::vector<Fact>& at_entry(ir::Index function, std::size_t depth);
  std::optional<Fact> through(ir::Index call, const Fact& below) const;
  [[nodiscard]] Fact made_by(ir::Index overwrite) const;
  std::vector<Held> solve(ir::Index function, const Facts& facts, const Objects* live_at_exit, ir::Index marker,
                          Held* at_marker) const;
  void step_back(ir::Index function, const ir::Instruction& instruction, const Facts& facts, Held& held) const;

  const ir::Program& program_;
  const PointsTo& points_to_;
  const Effects& effects_;
  std::map<std::pair<ir::Index, std::size_t>, std::vector<Fact>> entries_;
};

}  // namespace cppc::analysis
