/// MPI's own datatypes.
#pragma once

#include <clang/AST/ASTContext.h>

#include <cstdint>
#include <optional>

namespace cppc::frontend {

/// Bytes of an element, which leaves no gaps, when the expression is one of MPI's constants.
std::optional<std::uint64_t> size_of_datatype(const clang::Expr* datatype, const clang::ASTContext& context);

}  // namespace cppc::frontend
