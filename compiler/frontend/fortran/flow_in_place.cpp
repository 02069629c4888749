// What the program has MPI do that decides what a collective operation fills: buffers in place, errors that it looks at
// itself.

#include "flow.hpp"

namespace cppc::fortran {

namespace {

void add_calls(const Expr& e, std::vector<const Expr*>& calls) {
  if (e.kind == Expr::Kind::call && e.procedure != none) calls.push_back(&e);
  for (const ExprPtr& part : e.parts)
    if (part != nullptr) add_calls(*part, calls);
}

}  // namespace

/// MPI_IN_PLACE, and dummies that get it; and whether errors come back.
void Flow::find_names_of_in_place() {
  std::vector<const Expr*> calls;
  for (const Procedure& procedure : program_.procedures)
    for (const Statement& s : procedure.body) visit_expressions(s, [&](const Expr& e) { add_calls(e, calls); });
  for (Index symbol = 0; symbol < program_.symbols.size(); ++symbol)
    if (program_.symbols[symbol].name == "mpi_in_place") in_place_.insert(symbol);
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
        if (dummies[i] != none && given != none && in_place_.contains(given))
          grew = in_place_.insert(dummies[i]).second || grew;
      }
    }
  }
}

}  // namespace cppc::fortran
