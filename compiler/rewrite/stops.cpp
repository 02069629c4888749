#include "stops.hpp"

#include "dead_range.hpp"
#include "scope.hpp"

namespace cppc::rewrite {

/// Static objects that are saved at another safe point and not at this one.
std::string Stops::dead_objects(ir::Index point, const clang::Stmt* loop) const {
  std::string code;
  for (const unsigned object : context_.declared) {
    if (context_.plan.live[point].test(object)) continue;
    const auto& site = context_.source.variables[context_.program.objects[object].handle];
    const auto* variable = site.declaration;
    if (site.unit != function_.unit || variable->isStaticLocal() ||
        !named_before(context_.ast, function_.declaration, variable, loop))
      continue;
    code += std::string("cppc_dead(") + (variable->getType()->isArrayType() ? "" : "&") + variable->getNameAsString() +
            "); ";
  }
  return code;
}

/// Memory that is overwritten before it is read: where it is, said in variables of this function.
std::string Stops::dead_ranges(ir::Index point, const clang::Stmt* loop) const {
  const auto here = [&](const clang::VarDecl* variable) {
    return variable->hasGlobalStorage() ? named_before(context_.ast, function_.declaration, variable, loop)
                                        : function_.visible(variable, loop, true);
  };
  std::set<std::string> ranges;
  const auto behind = [](const clang::VarDecl*) { return false; };
  for (const analysis::Ahead& ahead : context_.plan.ahead[point])
    ranges.insert(
        dead_range(context_.program, context_.source, context_.ast, ahead, function_.declaration, here, behind).code);
  std::string code;
  for (const std::string& range : ranges) code += range;
  return code;
}

std::string Stops::code(const clang::Stmt* loop) const {
  std::string code;
  for (int number = 1; number <= function_.places(); ++number) {
    const ir::Index point = function_.place(number).point;
    if (point == ir::none || function_.site(number).statement != loop) continue;
    code += "if (cppc_safe_point(" + std::to_string(point + 1) + ")) { " + shadow_.store_values(number) +
            dead_objects(point, loop) + dead_ranges(point, loop) + place_label(number) + ": " +
            shadow_.store_addresses(number) + "cppc_stop(&cppc_frame_, " + std::to_string(number) + "); " +
            shadow_.load_values(number) + "} ";
  }
  return code;
}

}  // namespace cppc::rewrite
