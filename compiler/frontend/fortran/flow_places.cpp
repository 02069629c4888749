// What the program has MPI do that decides what a collective operation fills: buffers in place, errors that it looks at
// itself.

#include "flow.hpp"

namespace cppc::fortran {

namespace {

void calls_in(const ExprPtr& e, std::vector<const Expr*>& calls) {
  if (e == nullptr) return;
  if (e->kind == Expr::Kind::call && e->procedure != none) calls.push_back(e.get());
  for (const ExprPtr& part : e->parts) calls_in(part, calls);
}

void calls_in(const Statements& list, std::vector<const Expr*>& calls) {
  for (const Statement& s : list) {
    for (const ExprPtr& e : {s.target, s.value, s.low, s.high, s.step}) calls_in(e, calls);
    for (const ExprPtr& e : s.expressions) calls_in(e, calls);
    for (const Case& one : s.cases) {
      calls_in(one.condition, calls);
      calls_in(one.body, calls);
    }
    calls_in(s.body, calls);
  }
}

}  // namespace

/// MPI_IN_PLACE, and dummies that get it.
void Flow::find_places_of_mpi() {
  std::vector<const Expr*> calls;
  for (const Procedure& procedure : program_.procedures) calls_in(procedure.body, calls);
  for (Index symbol = 0; symbol < program_.symbols.size(); ++symbol)
    if (program_.symbols[symbol].name == "mpi_in_place") places_of_mpi_.insert(symbol);
  for (const Expr* call : calls) {
    const std::string& name = program_.procedures[call->procedure].linker_name;
    handles_errors_ = handles_errors_ || name == "mpi_comm_set_errhandler_" || name == "mpi_errhandler_set_";
  }
  for (bool grew = true; grew;) {
    grew = false;
    for (const Expr* call : calls) {
      const auto& dummies = program_.procedures[call->procedure].dummies;
      for (std::size_t i = 0; i < dummies.size() && i < call->parts.size(); ++i) {
        const Index given = call->parts[i] != nullptr ? root(*call->parts[i]) : none;
        if (dummies[i] != none && given != none && places_of_mpi_.contains(given))
          grew = places_of_mpi_.insert(dummies[i]).second || grew;
      }
    }
  }
}

}  // namespace cppc::fortran
