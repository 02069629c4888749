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

/// What goes in front of the call: its place, and the way back to it.
std::string PathCalls::code(int number, bool guarded) const {
  const std::string addresses = shadow_.store_addresses(number);
  return (guarded ? "int " + guard(number) + " = 0; " : "") + shadow_.store_values(number) + addresses +
         "cppc_at(&cppc_frame_, " + std::to_string(number) + "); if (0) { " + place_label(number) + ": " + addresses +
         "cppc_resumed(&cppc_frame_); " + (guarded ? guard(number) + " = 1; " : "") + shadow_.load_values(number) +
         "} ";
}

/// Whether it names a variable that has its value from before the statement when a process takes over.
bool PathCalls::kept(const clang::Expr* e) const {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e->IgnoreParens());
  const auto* variable = name != nullptr ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return variable != nullptr && shadow_.by_value(variable);
}

bool PathCalls::changes_kept(const clang::Stmt* s) const {
  if (s == nullptr) return false;
  if (const clang::Expr* changed = frontend::changed_by(s); changed != nullptr && kept(changed)) return true;
  return std::ranges::any_of(s->children(), [&](const clang::Stmt* child) { return changes_kept(child); });
}

/// Whether its value is the same again: it is about constants, kept variables and values of calls that have been made.
bool PathCalls::constant(const clang::Stmt* s, const std::set<const clang::Stmt*>& made) const {
  if (s == nullptr || made.contains(s)) return true;
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(s))
    return llvm::isa<clang::EnumConstantDecl>(name->getDecl()) || kept(name);
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(s);
      unary != nullptr && unary->getOpcode() == clang::UO_Deref)
    return false;
  return !llvm::isa<clang::CallExpr, clang::StmtExpr, clang::MemberExpr, clang::ArraySubscriptExpr>(s) &&
         std::ranges::all_of(s->children(), [&](const clang::Stmt* child) { return constant(child, made); });
}

/// Whether its effects are the same again: it changes kept variables only, by what is the same again.
bool PathCalls::repeatable(const clang::Stmt* s, const std::set<const clang::Stmt*>& made) const {
  if (constant(s, made)) return true;
  const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(s);
  const bool chooses = llvm::isa<clang::AbstractConditionalOperator>(s) || (binary != nullptr && binary->isLogicalOp());
  if (chooses || llvm::isa<clang::CallExpr, clang::StmtExpr>(s)) return !frontend::has_effects(s, made);
  if (const clang::Expr* changed = frontend::changed_by(s); changed != nullptr)
    return kept(changed) && (binary == nullptr || constant(binary->getRHS(), made));
  return std::ranges::all_of(s->children(), [&](const clang::Stmt* child) { return repeatable(child, made); });
}

/// Arguments with effects that must not be repeated. A process that takes over does not evaluate them: the function
/// called has its parameters from its own frame. `made`: calls whose values are there.
std::vector<Range> PathCalls::guarded_arguments(int number, const std::set<const clang::Stmt*>& made) const {
  const ir::Call& call = context_.program.calls[function_.place(number).call];
  std::vector<Range> guarded;
  for (unsigned i = 0; i < function_.call(number)->getNumArgs(); ++i) {
    const clang::Expr* argument = function_.call(number)->getArg(i);
    if (call.plain[i] || !frontend::has_effects(argument, made) || repeatable(argument, made)) continue;
    const auto range = context_.editor.range(argument);
    if (!argument->getType()->isScalarType() || !range || argument->getBeginLoc().isMacroID() || changes_kept(argument))
      context_.refuse(argument, "an argument of a call that can reach a safe point has effects",
                      "evaluate it in a statement before");
    else
      guarded.push_back(*range);
  }
  return guarded;
}

void PathCalls::write(int number) const {
  const frontend::MarkerSite& site = function_.site(number);
  if (site.part == frontend::Part::increment)
    return context_.refuse(site.statement, "a call in the loop's header can reach a safe point",
                           "move the call into the loop's body");
  const auto guarded = guarded_arguments(number, {});
  const bool in_header = site.part != frontend::Part::statement;
  if (in_header && !guarded.empty())
    return context_.refuse(site.statement,
                           "an argument of a call in the loop's header, which can reach a safe point, has effects",
                           "evaluate it in a statement before");
  for (const Range& argument : guarded) context_.editor.enclose(argument, guard(number) + " ? 0 : (", ")");
  if (!in_header) context_.wrap(site.statement, code(number, !guarded.empty()));
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

/// Those that are not part of another one.
std::vector<PathCalls::Replacement> PathCalls::outermost(const std::vector<Replacement>& all) {
  std::vector<Replacement> found;
  for (const Replacement& one : all)
    if (std::ranges::none_of(
            all, [&](const Replacement& other) { return &other != &one && other.range.contains(one.range); }))
      found.push_back(one);
  return found;
}

/// The text there with what is in it replaced.
std::string PathCalls::text_of(const Range& range, const std::vector<Replacement>& replacements) const {
  std::vector<Replacement> inner;
  std::ranges::copy_if(replacements, std::back_inserter(inner),
                       [&](const Replacement& one) { return range.contains(one.range); });
  inner = outermost(inner);
  std::ranges::sort(inner, std::greater{}, [](const Replacement& one) { return one.range.begin; });
  std::string text = context_.editor.original(range);
  for (const auto& [of, by] : inner) text.replace(of.begin - range.begin, of.end - of.begin, by);
  return text;
}

/// Several calls on the path in one statement: each is made on its own before it, and leaves its value in the shadow.
void PathCalls::write_apart(const std::vector<int>& numbers) const {
  const clang::Stmt* statement = function_.site(numbers.front()).statement;
  std::string all;
  std::vector<Replacement> values;
  std::set<const clang::Stmt*> made;
  for (const int number : numbers) {
    if (!can_be_apart(number))
      return context_.refuse(statement, "several calls that can reach a safe point stand in one statement",
                             "make each a statement of its own");
    const Range range = *context_.editor.range(function_.call(number));
    const std::string value = "cppc_live." + Shadow::value(number);
    auto replaced = values;
    const auto guarded = guarded_arguments(number, made);
    for (const Range& argument : guarded)
      replaced.push_back({argument, guard(number) + " ? 0 : (" + text_of(argument, values) + ")"});
    all += code(number, !guarded.empty()) + value + " = " + text_of(range, replaced) + "; ";
    values.push_back({range, value});
    made.insert(function_.call(number));
  }
  for (const auto& [range, value] : outermost(values)) context_.editor.replace(range, value);
  context_.wrap(statement, all);
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
  return code(number, false) + "if (!(" + context_.editor.original(condition) + ")) break; ";
}

void PathCalls::run() const {
  for (int number = 1; number <= function_.places(); ++number)
    if (function_.place(number).call != ir::none && !function_.place(number).apart) write(number);
  for (const auto& [marker, numbers] : apart_) write_apart(numbers);
}

}  // namespace cppc::rewrite
