#include "polynomial.hpp"

#include <algorithm>
#include <map>

namespace cppc::fortran {

namespace {

/// Factors in order, by their text.
using Product = std::vector<std::string>;
using Polynomial = std::map<Product, std::int64_t>;

/// Products that an expression may have.
constexpr std::size_t kMostProducts = 32;

void add(Polynomial& sum, const Polynomial& other, std::int64_t times) {
  for (const auto& [product, factor] : other)
    if ((sum[product] += times * factor) == 0) sum.erase(product);
}

Polynomial multiply(const Polynomial& one, const Polynomial& other) {
  Polynomial made;
  for (const auto& [left, left_factor] : one)
    for (const auto& [right, right_factor] : other) {
      Product both = left;
      both.insert(both.end(), right.begin(), right.end());
      std::ranges::sort(both);
      add(made, {{both, left_factor * right_factor}}, 1);
    }
  return made;
}

std::optional<Polynomial> polynomial(const Program& program, const Expr& e) {
  if (e.kind == Expr::Kind::constant) return e.value != 0 ? Polynomial{{{}, e.value}} : Polynomial{};
  const bool known = e.kind == Expr::Kind::operate && (e.word == "+" || e.word == "-" || e.word == "*");
  if (!known) {
    std::string atom = text(program, e);
    if (atom.empty()) return {};
    return Polynomial{{{std::move(atom)}, 1}};
  }
  auto left = polynomial(program, *e.parts[0]);
  const auto right = polynomial(program, *e.parts[1]);
  if (!left || !right || left->size() * right->size() > kMostProducts) return {};
  if (e.word == "*") return multiply(*left, *right);
  add(*left, *right, e.word == "+" ? 1 : -1);
  return left;
}

}  // namespace

bool always_equal(const Program& program, const Expr& one, const Expr& other) {
  const auto left = polynomial(program, one), right = polynomial(program, other);
  return left && right && *left == *right;
}

}  // namespace cppc::fortran
