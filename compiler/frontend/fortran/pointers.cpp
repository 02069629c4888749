#include "pointers.hpp"

namespace cppc::fortran {

namespace {

/// Dummies that are pointers or targets themselves keep what they are given.
class Arguments {
 public:
  explicit Arguments(Program& program) : program_(program) {}

  void run() {
    for (const Procedure& procedure : program_.procedures) {
      for (const ExprPtr& size : procedure.sizes) see(size);
      statements(procedure.body);
    }
  }

 private:
  void statements(const Statements& list) {
    for (const Statement& s : list) {
      for (const ExprPtr& e : {s.target, s.value, s.low, s.high, s.step}) see(e);
      for (const ExprPtr& e : s.expressions) see(e);
      for (const Case& one : s.cases) {
        see(one.condition);
        statements(one.body);
      }
      statements(s.body);
    }
  }
  void see(const ExprPtr& e) {
    if (e == nullptr) return;
    if (e->kind == Expr::Kind::call && e->procedure != none) call(*e);
    for (const ExprPtr& part : e->parts) see(part);
  }
  void call(const Expr& e) {
    const Procedure& callee = program_.procedures[e.procedure];
    for (std::size_t i = 0; callee.defined && i < e.parts.size(); ++i) {
      const bool plain =
          i < callee.dummies.size() && callee.dummies[i] != none && program_.symbols[callee.dummies[i]].unclear.empty();
      if (!plain && e.parts[i] != nullptr) share(*e.parts[i]);
    }
  }
  void share(const Expr& e) {
    if (e.kind == Expr::Kind::name) program_.symbols[e.symbol].shared = true;
    for (const ExprPtr& part : e.parts)
      if (part != nullptr) share(*part);
  }

  Program& program_;
};

}  // namespace

void settle_pointers(Program& program) {
  Arguments(program).run();
  for (const Symbol& symbol : program.symbols)
    for (const Index part : symbol.parts)
      if (symbol.whole) program.symbols[part].shared = true;
  for (Symbol& symbol : program.symbols)
    if (symbol.descriptor == Symbol::Descriptor::pointer && symbol.shared && symbol.unclear.empty())
      symbol.unclear = "it is a pointer, and others may lead there";
}

}  // namespace cppc::fortran
