#include "path_calls.hpp"

#include <algorithm>

#include "frontend/syntax.hpp"

namespace cppc::rewrite {

PathCalls::PathCalls(const PathFunction& function, Shadow& shadow)
    : function_(function), context_(function.context), shadow_(shadow) {
  for (int number = 1; number <= function.places(); ++number) {
    if (!function.place(number).apart) continue;
    auto& together = apart_[function.place(number).marker];
    for (const int earlier : together) shadow.keep_value(number, earlier);
    shadow.add_value(number);
    together.push_back(number);
  }
}

/// What goes in front of the call: its place, and the way back to it, with what else is `resumed` there.
std::string PathCalls::code(int number, const std::string& resumed) const {
  const std::string addresses = shadow_.store_addresses(number);
  return shadow_.store_values(number) + addresses + "cppc_at(&cppc_frame_, " + std::to_string(number) + "); if (0) { " +
         place_label(number) + ": " + addresses + "cppc_resumed(&cppc_frame_); " + resumed +
         shadow_.load_values(number) + "} ";
}

/// Arguments with effects are not evaluated again: the function called has its parameters from its own frame.
bool PathCalls::guard_arguments(int number) const {
  const ir::Call& call = context_.program.calls[function_.place(number).call];
  bool guarded = false;
  for (unsigned i = 0; i < function_.call(number)->getNumArgs(); ++i) {
    const clang::Expr* argument = function_.call(number)->getArg(i);
    if (call.plain[i] || !(frontend::has_call(argument) || frontend::changes(argument))) continue;
    const auto range = context_.editor.range(argument);
    if (!argument->getType()->isScalarType() || !range || argument->getBeginLoc().isMacroID()) {
      context_.refuse(argument, "an argument of a call that can reach a safe point has effects",
                      "evaluate it in a statement before");
      continue;
    }
    context_.editor.enclose(*range, "cppc_again_" + std::to_string(number) + " ? 0 : (", ")");
    guarded = true;
  }
  return guarded;
}

void PathCalls::write(int number) const {
  const frontend::MarkerSite& site = function_.site(number);
  if (site.part == frontend::Part::increment)
    return context_.refuse(site.statement, "a call in the loop's header can reach a safe point",
                           "move the call into the loop's body");
  const bool guarded = guard_arguments(number), plain = site.part == frontend::Part::statement;
  if (guarded && !plain)
    return context_.refuse(site.statement,
                           "an argument of a call in the loop's header, which can reach a safe point, has effects",
                           "evaluate it in a statement before");
  const std::string flag = "cppc_again_" + std::to_string(number);
  if (plain)
    context_.wrap(site.statement, guarded ? "int " + flag + " = 0; " + code(number, flag + " = 1; ") : code(number));
}

bool PathCalls::always_evaluated(const clang::Expr* call, const clang::Stmt* statement) const {
  for (const clang::Stmt *child = call, *up = context_.parent(call); child != statement;
       child = up, up = context_.parent(up)) {
    if (up == nullptr || llvm::isa<clang::StmtExpr>(up)) return false;
    if (const auto* both = llvm::dyn_cast<clang::BinaryOperator>(up);
        both != nullptr && both->isLogicalOp() && both->getRHS() == child)
      return false;
    if (const auto* choice = llvm::dyn_cast<clang::AbstractConditionalOperator>(up);
        choice != nullptr && choice->getCond() != child)
      return false;
  }
  return true;
}

bool PathCalls::can_be_apart(int number) const {
  const clang::CallExpr* call = function_.call(number);
  const frontend::MarkerSite& site = function_.site(number);
  return site.part == frontend::Part::statement && !call->getBeginLoc().isMacroID() && !call->getEndLoc().isMacroID() &&
         context_.editor.range(call) && call->getType()->isScalarType() && handle(call->getType()) == nullptr &&
         always_evaluated(call, site.statement);
}

/// The text there, with calls in it that were made before replaced by their values.
std::string PathCalls::text_of(const Range& range, const std::vector<Value>& values) const {
  std::map<Offset, const Value*> inner;
  for (const Value& value : values)
    if (range.contains(value.range)) inner[value.range.begin] = &value;
  std::string text = context_.editor.original(range);
  for (auto each = inner.rbegin(); each != inner.rend(); ++each) {
    const auto& [of, member] = *each->second;
    text.replace(of.begin - range.begin, of.end - of.begin, "cppc_live." + member);
  }
  return text;
}

/// Several calls on the path in one statement: each is made on its own before it, and leaves its value in the shadow.
void PathCalls::write_apart(const std::vector<int>& numbers) const {
  const clang::Stmt* statement = function_.site(numbers.front()).statement;
  std::string made;
  std::vector<Value> values;
  for (const int number : numbers) {
    if (!can_be_apart(number))
      return context_.refuse(statement, "several calls that can reach a safe point stand in one statement",
                             "make each a statement of its own");
    const Range range = *context_.editor.range(function_.call(number));
    const std::string value = Shadow::value(number);
    made += code(number) + "cppc_live." + value + " = " + text_of(range, values) + "; ";
    values.push_back({range, value});
  }
  for (const Value& value : values) {
    const auto around = [&](const Value& other) { return &other != &value && other.range.contains(value.range); };
    if (std::ranges::none_of(values, around)) context_.editor.replace(value.range, "cppc_live." + value.member);
  }
  context_.wrap(statement, made);
}

int PathCalls::place_in_condition(const clang::Stmt* loop) const {
  for (int number = 1; number <= function_.places(); ++number) {
    const frontend::MarkerSite& site = function_.site(number);
    if (function_.place(number).call != ir::none && site.statement == loop && site.part == frontend::Part::condition)
      return number;
  }
  return 0;
}

std::string PathCalls::condition_code(int number, const Range& condition) const {
  return code(number) + "if (!(" + context_.editor.original(condition) + ")) break; ";
}

void PathCalls::run() const {
  for (int number = 1; number <= function_.places(); ++number)
    if (function_.place(number).call != ir::none && !function_.place(number).apart) write(number);
  for (const auto& [marker, numbers] : apart_) write_apart(numbers);
}

}  // namespace cppc::rewrite
