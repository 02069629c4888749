// What the program, and what is linked with it, has MPI do that decides what calls of MPI read and fill: buffers in
// place, errors that come back, functions that it calls and memory that it shows.

#include <algorithm>
#include <functional>
#include <regex>

#include "flow.hpp"
#include "pointers.hpp"

namespace cppc::fortran {

namespace {

/// Of all parts of an expression.
void see_calls(const Expr& e, const std::function<void(const Expr&)>& show) {
  if (e.kind == Expr::Kind::call) show(e);
  for (const ExprPtr& part : e.parts)
    if (part != nullptr) see_calls(*part, show);
}

/// Sets an error handler of communicators, whatever language it is called from.
bool sets_error_handler(const std::string& name) {
  static const std::regex names("p?mpi_(comm_set_errhandler|errhandler_set)_{0,2}", std::regex::icase);
  return std::regex_match(name, names);
}

}  // namespace

/// What code in other languages has MPI do, by the names that it uses. Functions that it has MPI call, and memory that
/// it has MPI show, are in calls of MPI what it names.
void Flow::see_other_parts(const std::set<std::string>& names) {
  bool acts_in_mpi = false;
  for (const std::string& name : names) {
    handles_errors_ = handles_errors_ || sets_error_handler(name);
    const models::Model* model = models::is_of_mpi(name) ? models_.find(name) : nullptr;
    acts_in_mpi = acts_in_mpi || (model != nullptr && (!model->held.empty() || model->shows >= 0 ||
                                                       model->callback >= 0 || model->keeps_callback));
  }
  for (Index symbol = 0; acts_in_mpi && symbol < program_.symbols.size(); ++symbol)
    if (used_by_others(program_, program_.symbols[symbol].linker_name)) used_in_mpi_.push_back(symbol);
}

/// MPI_IN_PLACE, and dummies that get it, or may get it from calls that are not followed; and whether errors come back.
void Flow::find_uses_of_mpi() {
  std::vector<const Expr*> calls;
  std::set<Index> called(program_.bound.begin(), program_.bound.end());
  const auto see = [&](const Expr& call) {
    if (call.procedure == none) return;
    if (call.word == "(address)")
      called.insert(call.procedure);
    else
      calls.push_back(&call);
  };
  for (const Procedure& procedure : program_.procedures)
    for (const Statement& s : procedure.body) visit_expressions(s, [&](const Expr& e) { see_calls(e, see); });
  for (Index p = 0; p < program_.procedures.size(); ++p) {
    const std::string& name = program_.procedures[p].linker_name;
    if (used_by_others(program_, name)) called.insert(p);
    handles_errors_ = handles_errors_ || sets_error_handler(name);
  }
  if (program_.outside) see_other_parts(*program_.outside);
  for (const Index p : called)
    if (p != none)
      for (const Index dummy : program_.procedures[p].dummies)
        if (dummy != none) in_place_.insert(dummy);
  for (Index symbol = 0; symbol < program_.symbols.size(); ++symbol)
    if (program_.symbols[symbol].name == "mpi_in_place" || program_.symbols[symbol].name == "mpi_bottom")
      in_place_.insert(symbol);
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
