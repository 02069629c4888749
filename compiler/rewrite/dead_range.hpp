/// The code that tells the runtime which memory is overwritten before it is read.
#pragma once

#include <functional>

#include "analysis/overwrites.hpp"
#include "frontend/source.hpp"

namespace cppc::rewrite {

/// Calls of cppc_dead_range(), or nothing when it cannot be said in variables for which `visible` holds and what `ast`
/// declares at file scope.
std::string dead_range(const ir::Program& program, const frontend::Source& source, clang::ASTContext& ast,
                       const analysis::Ahead& ahead, const std::function<bool(const clang::VarDecl*)>& visible);

}  // namespace cppc::rewrite
