/// What names stand for along the way from a safe point to where something is overwritten. For companion.cpp only.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>

#include "frontend/fortran/flow.hpp"

namespace cppc::rewrite::fortran {

/// What names of one procedure are, where a way leads through it.
struct Scope {
  std::map<cppc::fortran::Index, std::pair<cppc::fortran::ExprPtr, const Scope*>> values;
  std::map<cppc::fortran::Index, std::string> counters;  ///< in C, of loops of the procedure
};

/// One for the procedure of the safe point, and one behind each link. They lead to each other.
std::deque<Scope> scopes_of(const cppc::fortran::Program& program, const cppc::fortran::Overwritten& overwritten);

}  // namespace cppc::rewrite::fortran
