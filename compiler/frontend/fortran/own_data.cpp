#include "own_data.hpp"

#include <algorithm>

namespace cppc::fortran {

namespace {

class Check {
 public:
  Check(const Program& program, Index procedure, bool ends) : program_(program), procedure_(procedure), ends_(ends) {}

  [[nodiscard]] bool run() const {
    const Procedure& its = program_.procedures[procedure_];
    return its.defined && its.unclear.empty() && expressions(its.sizes) && statements(its.body);
  }

 private:
  bool statements(const Statements& all) const {
    return std::ranges::all_of(all, [this](const Statement& one) { return statement(one); });
  }
  bool expressions(const std::vector<ExprPtr>& all) const {
    return std::ranges::all_of(all, [this](const ExprPtr& one) { return expression(one); });
  }
  bool statement(const Statement& one) const {
    const auto is_own_case = [this](const Case& its) { return expression(its.condition) && statements(its.body); };
    return is_own(one.variable) && expression(one.target) && expression(one.value) && expression(one.low) &&
           expression(one.high) && expression(one.step) && expressions(one.expressions) &&
           std::ranges::all_of(one.cases, is_own_case) && statements(one.body);
  }
  bool expression(const ExprPtr& one) const {
    if (one == nullptr) return true;
    const bool calls = one->kind == Expr::Kind::call && (one->procedure != none || one->word.empty());
    const bool is_address = one->word == "(address)" || gives_address(one->word);
    return !calls && !is_address && is_own(one->symbol) && is_own(one->view) && expressions(one->parts);
  }
  bool is_own(Index index) const {
    if (index == none) return true;
    const Symbol& symbol = program_.symbols[index];
    if (symbol.constant) return true;
    const bool begins = symbol.storage == Symbol::Storage::local || symbol.storage == Symbol::Storage::dummy;
    const bool understood = symbol.unclear.empty() || (ends_ && symbol.storage == Symbol::Storage::dummy);
    return begins && symbol.procedure == procedure_ && understood && symbol.descriptor != Symbol::Descriptor::pointer;
  }

  const Program& program_;
  const Index procedure_;
  const bool ends_;
};

}  // namespace

bool has_own_data_only(const Program& program, Index procedure) { return Check(program, procedure, false).run(); }

bool ends_own_data_only(const Program& program, Index procedure) { return Check(program, procedure, true).run(); }

}  // namespace cppc::fortran
