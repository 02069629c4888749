/// The code that tells the runtime which memory is overwritten before it is read.
#pragma once

#include <functional>

#include "analysis/overwrites.hpp"
#include "frontend/source.hpp"

namespace cppc::rewrite {

/// In C.
struct DeadRange {
  std::string code;            ///< calls of cppc_dead_range() or one of its kin
  std::string address, bytes;  ///< of one of them
};

using OfVariable = std::function<bool(const clang::VarDecl*)>;

/// Nothing when it cannot be said in variables for which `visible` holds, as `ast` declares them, and in members that
/// the function `from` may name. For its variables that are declared only behind the place, `behind` holds.
DeadRange dead_range(const ir::Program& program, const frontend::Source& source, clang::ASTContext& ast,
                     const analysis::Ahead& ahead, const clang::FunctionDecl* from, const OfVariable& visible,
                     const OfVariable& behind);

}  // namespace cppc::rewrite
