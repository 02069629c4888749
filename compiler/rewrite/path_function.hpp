/// A function on the path to a safe point, as its rewriters see it. Its places are numbered from 1.
#pragma once

#include "context.hpp"

namespace cppc::rewrite {

struct PathFunction {
  PathFunction(const Context& context, const analysis::Routine& routine);

  [[nodiscard]] int places() const { return static_cast<int>(routine.places.size()); }
  [[nodiscard]] const analysis::Place& place(int number) const {
    return routine.places[static_cast<std::size_t>(number - 1)];
  }
  /// Where in the source the place is.
  [[nodiscard]] const frontend::MarkerSite& site(int number) const;
  /// Of a place that is a call.
  [[nodiscard]] const clang::CallExpr* call(int number) const;

  /// Whether a variable of the function can be named at a statement or, if that is a block or loop, `inside` it.
  [[nodiscard]] bool visible(const clang::VarDecl* variable, const clang::Stmt* at, bool inside) const;

  const Context& context;
  const analysis::Routine& routine;
  ir::Index unit;
  const clang::FunctionDecl* declaration;
  std::string name;
};

/// Labels of the function: of waypoints and of places.
std::string way_label(unsigned number);
std::string place_label(int number);

}  // namespace cppc::rewrite
