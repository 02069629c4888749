/// Expressions of integers: making them, and looking at them.
#pragma once

#include <map>
#include <optional>

#include "tree.hpp"

namespace cppc::fortran {

/// Variables whose values are known, at some place.
using Values = std::map<Index, ExprPtr>;

ExprPtr constant(std::int64_t value);
ExprPtr operate(const char* word, ExprPtr left, ExprPtr right);

/// Whether it is this constant; null is not.
bool is(const ExprPtr& e, std::int64_t value);

/// Of a constant, or of sums and differences of such ones.
std::optional<std::int64_t> value_of(const ExprPtr& e);

bool mentions(const Expr& e, Index symbol);

/// With values in place of variables.
ExprPtr replaced(const ExprPtr& e, const Values& values);

/// The constant, where it is `variable` plus a constant.
std::optional<std::int64_t> shift_of(const Expr& e, Index variable);

}  // namespace cppc::fortran
