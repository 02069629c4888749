#include "path_function.hpp"

#include "scope.hpp"

namespace cppc::rewrite {

PathFunction::PathFunction(const Context& unit_context, const analysis::Routine& own)
    : context(unit_context), routine(own) {
  const auto& function = context.source.functions[context.program.functions[routine.function].handle];
  unit = function.unit;
  declaration = function.declaration;
  name = declaration->getNameAsString();
}

const frontend::MarkerSite& PathFunction::site(int number) const {
  return context.source.markers[context.program.markers[place(number).marker].handle];
}

const clang::CallExpr* PathFunction::call(int number) const {
  return context.source.calls[context.program.calls[place(number).call].handle].call;
}

bool PathFunction::visible(const clang::VarDecl* variable, const clang::Stmt* at, bool inside) const {
  return in_scope(context.ast, declaration, variable, at, inside);
}

std::string way_label(unsigned number) { return "cppc_way_" + std::to_string(number); }
std::string place_label(int number) { return "cppc_place_" + std::to_string(number); }

}  // namespace cppc::rewrite
