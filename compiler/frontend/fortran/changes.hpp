/// What statements may change.
#pragma once

#include <set>

#include "effects.hpp"

namespace cppc::fortran {

class Changes {
 public:
  Changes(const Program& program, const Effects& effects) : program_(program), effects_(effects) {}

  std::set<Index> changed;
  bool untold = false;  ///< and others, by calls

  void add(const Statements& list);
  void add(const Statement& s);

 private:
  void add_roots(const Expr& e);
  void add_calls(const Expr& e);
  void add_call(const Expr& e);

  const Program& program_;
  const Effects& effects_;
};

}  // namespace cppc::fortran
