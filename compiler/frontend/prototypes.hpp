/// Whether what the tables say of a function fits how it is declared: else it is another function of that name, or the
/// table is wrong.
#pragma once

#include <clang/AST/Decl.h>

#include <string>

#include "models/models.hpp"

namespace cppc::frontend {

/// What does not fit; empty when all does. A function that is declared without a prototype fits.
std::string contradiction(const models::Model& model, const clang::FunctionDecl& function);

}  // namespace cppc::frontend
