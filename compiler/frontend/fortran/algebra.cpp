#include "algebra.hpp"

#include <algorithm>
#include <tuple>

namespace cppc::fortran {

using Kind = Expr::Kind;

ExprPtr constant(std::int64_t value) {
  return std::make_shared<const Expr>(Expr{.kind = Kind::constant, .value = value});
}

ExprPtr operate(const char* word, ExprPtr left, ExprPtr right) {
  return std::make_shared<const Expr>(
      Expr{.kind = Kind::operate, .word = word, .parts = {std::move(left), std::move(right)}});
}

bool is(const ExprPtr& e, std::int64_t value) { return e != nullptr && e->kind == Kind::constant && e->value == value; }

std::optional<std::int64_t> value_of(const ExprPtr& e) {
  if (e == nullptr) return {};
  if (e->kind == Kind::constant) return e->value;
  if (e->kind != Kind::operate || (e->word != "+" && e->word != "-")) return {};
  const auto left = value_of(e->parts[0]), right = value_of(e->parts[1]);
  if (!left || !right) return {};
  return e->word == "+" ? *left + *right : *left - *right;
}

bool mentions(const Expr& e, Index symbol) {
  if (e.kind == Kind::name) return e.symbol == symbol;
  return std::ranges::any_of(e.parts, [&](const ExprPtr& part) { return part != nullptr && mentions(*part, symbol); });
}

ExprPtr replaced(const ExprPtr& e, const Values& values) {
  if (e == nullptr) return e;
  if (e->kind == Kind::name) {
    const auto found = values.find(e->symbol);
    return found != values.end() ? found->second : e;
  }
  if (e->parts.empty()) return e;
  Expr made = *e;
  for (ExprPtr& part : made.parts) part = replaced(part, values);
  return std::make_shared<const Expr>(std::move(made));
}

std::optional<std::int64_t> shift_of(const Expr& e, Index variable) {
  if (e.kind == Kind::name && e.symbol == variable) return 0;
  if (e.kind != Kind::operate || (e.word != "+" && e.word != "-")) return {};
  const auto& [left, right] = std::tie(e.parts[0], e.parts[1]);
  if (right->kind == Kind::constant)
    if (const auto inner = shift_of(*left, variable)) return *inner + (e.word == "+" ? right->value : -right->value);
  if (e.word == "+" && left->kind == Kind::constant)
    if (const auto inner = shift_of(*right, variable)) return *inner + left->value;
  return {};
}

}  // namespace cppc::fortran
