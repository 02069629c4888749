#include "tree.hpp"

namespace cppc::fortran {

Index root(const Expr& e) {
  if (e.kind == Expr::Kind::name) return e.symbol;
  const bool part = e.kind == Expr::Kind::element || e.kind == Expr::Kind::member;
  return part && e.parts.front() != nullptr ? root(*e.parts.front()) : none;
}

bool gives_address(const std::string& word) {
  return word == "loc" || word.ends_with("c_loc") || word.ends_with("c_funloc");
}

Index view(const Expr& name) { return name.view != none ? name.view : name.symbol; }

std::vector<Index> besides(const Program& program, Index symbol) {
  std::vector<Index> found;
  const Symbol& s = program.symbols[symbol];
  if (s.shape != none) found.push_back(s.shape);
  for (const Index part : s.parts) {
    found.push_back(part);
    if (program.symbols[part].shape != none) found.push_back(program.symbols[part].shape);
  }
  return found;
}

std::vector<Index> neighbours(const Program& program, Index symbol) {
  const auto lies_there = [&](Index part) { return program.symbols[part].descriptor == Symbol::Descriptor::none; };
  std::vector<Index> found;
  if (program.symbols[symbol].part_of == none || !lies_there(symbol)) return found;
  for (const Index part : program.symbols[program.symbols[symbol].part_of].parts)
    if (part != symbol && lies_there(part)) found.push_back(part);
  return found;
}

std::vector<Index> following(const Program& program, Index symbol) {
  std::vector<Index> found;
  const Symbol& first = program.symbols[symbol];
  if (first.storage != Symbol::Storage::common) return found;
  for (Index other = 0; other < program.symbols.size(); ++other) {
    const Symbol& its = program.symbols[other];
    if (its.storage == Symbol::Storage::common && its.linker_name == first.linker_name && its.offset > first.offset)
      found.push_back(other);
  }
  return found;
}

std::string text(const Program& program, const Expr& e) {
  switch (e.kind) {
    case Expr::Kind::constant:
      return std::to_string(e.value);
    case Expr::Kind::name:
      return program.symbols[e.symbol].name + "#" + std::to_string(e.symbol);
    case Expr::Kind::bound:
      return "(" + e.word + " " + std::to_string(e.symbol) + " " + std::to_string(e.value) + ")";
    case Expr::Kind::other:
    case Expr::Kind::call:
      return {};
    case Expr::Kind::element:
    case Expr::Kind::range:
    case Expr::Kind::member:
    case Expr::Kind::operate:
      break;
  }
  std::string made = "(" + e.word;
  for (const ExprPtr& part : e.parts) {
    const std::string one = part != nullptr ? text(program, *part) : "-";
    if (one.empty()) return {};
    made += " " + one;
  }
  return made + ")";
}

void visit_expressions(const Statement& s, const std::function<void(const Expr&)>& show) {
  for (const ExprPtr& e : {s.target, s.value, s.low, s.high, s.step})
    if (e != nullptr) show(*e);
  for (const ExprPtr& e : s.expressions)
    if (e != nullptr) show(*e);
  for (const Case& one : s.cases) {
    if (one.condition != nullptr) show(*one.condition);
    for (const Statement& inner : one.body) visit_expressions(inner, show);
  }
  for (const Statement& inner : s.body) visit_expressions(inner, show);
}

}  // namespace cppc::fortran
