#include "scopes.hpp"

namespace cppc::rewrite::fortran {

using namespace cppc::fortran;

std::deque<Scope> scopes_of(const Program& program, const Overwritten& overwritten) {
  std::deque<Scope> scopes(1);
  for (const Link& link : overwritten.links) {
    const Scope& outer = scopes.back();
    Scope made;
    if (link.loop != nullptr) {
      made = outer;
      made.counters[link.variable] = std::string("l").append(std::to_string(scopes.size()));
    } else if (link.call == nullptr) {
      made = outer;
      made.values[link.variable] = {link.value, &outer};
    } else {
      const auto& dummies = program.procedures[link.callee].dummies;
      for (std::size_t i = 0; i < dummies.size() && i < link.call->parts.size(); ++i)
        if (dummies[i] != none && link.call->parts[i] != nullptr)
          made.values[dummies[i]] = {link.call->parts[i], &outer};
    }
    scopes.push_back(std::move(made));
  }
  return scopes;
}

}  // namespace cppc::rewrite::fortran
