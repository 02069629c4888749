/// A Fortran program in the representation that the analyses know, for state that is kept by address.
#pragma once

#include "ir/program.hpp"
#include "models/models.hpp"
#include "tree.hpp"

namespace cppc::fortran {

/// The start of a loop's body.
struct LoopSite {
  Index procedure;
  const Statement* loop;
};

struct Lowered {
  ir::Program program;
  std::vector<LoopSite> sites;  ///< by the handles of markers
};

/// Procedures of the program have the same numbers among the functions, behind one that stands for all others.
Lowered lower(const Program& tree, const models::Models& models);

/// Whether it is a procedure of the compiler's libraries that reads and changes no more than its arguments.
bool is_of_runtime(const std::string& linker_name);

}  // namespace cppc::fortran
