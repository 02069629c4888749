/// A nest of loops, and what it writes of arrays (regions.hpp).
#pragma once

#include "algebra.hpp"
#include "counters.hpp"
#include "effects.hpp"
#include "regions.hpp"

namespace cppc::fortran {

/// A counted loop around what is looked at, its bounds in terms of what does not change in the nest.
struct Level {
  Index variable;
  ExprPtr low, high;  ///< low <= high
  ExprPtr step;       ///< null: 1
  const Statement* loop;
};

/// A write to an element or section, and where it is.
struct Write {
  Region region;
  std::vector<const Statement*> loops;  ///< around it, in the nest
  std::map<Index, std::size_t> at;      ///< by variable of these loops: the dimension of which it is the subscript
  std::size_t position = 0;             ///< in the order of accesses
  struct Head {
    std::size_t position;
    Index variable;
    std::int64_t shift;
  };
  std::optional<Head> head;  ///< what lies before the first pass of one of the loops has been written before
};

/// An access to an array that is no such write.
struct Access {
  const Expr* element;  ///< null: of any part
  std::vector<const Statement*> loops;
  std::size_t position = 0;
};

/// Walks once through the statements, in their order.
class Nest {
 public:
  Nest(const Program& program, const Effects& effects, const Statement& loop, const Values& before = {})
      : program_(program), effects_(effects), counters_(find_counters(program, effects, loop, before)) {
    statement(loop, true);
  }

  std::vector<Region> found();

 private:
  /// Whether the access touches only what the write has written in the same passes of the loops around both, or what it
  /// never writes.
  bool is_after(const Access& access, const Write& write) const;

  void touch(Index symbol, const Expr* element);
  void touch_parts(const Expr& e);

  /// Reads in an expression.
  void see(const Expr& e);
  void see_call(const Expr& e);
  /// A call statement: what the callee leaves of sections, it reads before it writes others.
  void see_known_call(const Expr& e, const Effect& effect, bool certain);
  void see_argument(const Expr& e, bool by_reference);
  void see_subscripts(const Expr& e);

  void forget_changed(const Statements& list);
  void forget_changed(const Statement& s);
  void forget(const std::set<Index>& changed, bool calls);

  void statements(const Statements& list, bool certain);

  void statement(const Statement& s, bool certain);

  void note_value(const Statement& s);

  void loop(const Statement& s, bool certain);

  bool write(const Expr& target);
  bool cover(const Expr& subscript, const Bounds& bounds, std::size_t dimension, Write& made,
             std::set<Index>& used) const;
  bool cover_counted(const Expr& subscript, std::size_t dimension, Write& made) const;
  bool cover_rows(const Expr& subscript, std::size_t dimension, Write& made, std::set<Index>& used) const;
  bool cover_sections(std::size_t dimension, Write& made, std::set<Index>& used) const;
  bool cover_block(const Expr& subscript, std::size_t dimension, Write& made, std::set<Index>& used) const;
  bool settle(Write& made, const std::set<Index>& used) const;
  std::vector<Write> together() const;
  std::vector<Write> joined(const std::vector<Write>& parts) const;
  std::optional<Write> join(const Write& one, const Write& other) const;
  std::optional<Write> with_head(const Write& head, const Write& rest) const;
  bool same(const Extent& one, const Extent& other) const;

  const Program& program_;
  const Effects& effects_;
  std::map<Index, Counter> counters_;
  std::vector<Level> levels_;
  std::vector<const Statement*> loops_;
  Values values_;  ///< of variables that hold for what is looked at
  std::vector<Write> writes_;
  std::vector<ExprPtr> sections_;  ///< that accesses are of
  std::map<Index, std::vector<Access>> accesses_;
  std::size_t position_ = 0;
  bool untold_calls_ = false;
};

}  // namespace cppc::fortran
