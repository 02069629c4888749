/// Memory that is filled, whatever was in it: by nests of loops, and by calls.

#include "cxx.hpp"
#include "datatypes.hpp"
#include "lowering.hpp"
#include "nests.hpp"
#include "plain.hpp"

namespace cppc::frontend {

namespace {

/// What says where the memory is.
std::vector<const clang::Expr*> expressions_of(const OverwriteSite& site) {
  std::vector<const clang::Expr*> all;
  for (const Level& level : site.levels) all.insert(all.end(), {level.low, level.high});
  for (const clang::Expr* one : {site.element, site.pointer, site.count})
    if (one != nullptr) all.push_back(one);
  return all;
}

/// Whether it can be said by what the function starts with; sets `site.function`.
bool unfold_function(OverwriteSite& site, const clang::FunctionDecl* function) {
  Locals known = site.nest;
  for (const Level& level : site.levels) known[level.variable] = nullptr;
  Locals found;
  bool all = true;
  for (const clang::Expr* expression : expressions_of(site)) all = all && unfold(expression, known, function, found);
  for (const auto& [variable, value] : site.nest) all = all && unfold(value, known, function, found);
  // Outside the nest, its counters are something else.
  for (const auto& [variable, value] : found)
    for (const Level& level : site.levels) all = all && !mentions(value, level.variable);
  site.function = site.nest;
  site.function.insert(found.begin(), found.end());
  return all;
}

/// MPI_IN_PLACE: then the memory is read first.
bool is_constant_address(const clang::Expr* e) {
  return e->getType()->isPointerType() && llvm::isa<clang::IntegerLiteral>(e->IgnoreParenCasts());
}

}  // namespace

/// After an outermost loop of a nest, or any loop that is the outermost one of its own: inner nests have been seen when
/// they were lowered, and are told again from here with one loop more.
std::vector<ir::Index> Lowering::overwrites_of(const clang::Stmt* s) {
  std::vector<ir::Index> made;
  const auto* loop = llvm::dyn_cast<clang::ForStmt>(s);
  if (loop == nullptr || aside_ != nullptr) return made;
  for (OverwriteSite& site : ranges_written_by(loop, symbols_.unit)) made.push_back(add_overwrite(std::move(site)));
  return made;
}

/// Of a function that fills memory.
std::optional<ir::Index> Lowering::overwrite_of(const clang::CallExpr* call, const std::string& name) {
  const models::Model* model =
      aside_ == nullptr && !static_only_ && declaration_ != nullptr ? symbols_.models().find(name) : nullptr;
  if (model == nullptr || model->fills.size() < 2) return {};
  std::vector<const clang::Expr*> arguments;
  for (const int i : model->fills) {
    if (i >= static_cast<int>(call->getNumArgs())) return {};
    arguments.push_back(call->getArg(static_cast<unsigned>(i)));
  }
  if (std::ranges::any_of(call->arguments(), is_constant_address)) return {};
  const auto size = arguments.size() == 2 ? 1 : size_of_datatype(arguments[2], *context_);
  if (!size || !plain(arguments[0]) || !plain(arguments[1])) return {};
  return add_overwrite({.unit = symbols_.unit, .pointer = arguments[0], .count = arguments[1], .size = *size});
}

/// The value of a variable that stands for an expression, when instructions are only looked at.
std::optional<ir::Node> Lowering::known(const clang::Expr* e) {
  const auto* name = aside_ != nullptr ? llvm::dyn_cast<clang::DeclRefExpr>(e->IgnoreParens()) : nullptr;
  const auto* variable = name != nullptr ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  if (variable == nullptr) return {};
  if (const auto given = given_.find(variable); given != given_.end()) return given->second;
  const auto local = locals_ != nullptr ? locals_->find(variable) : Locals::const_iterator{};
  if (locals_ == nullptr || local == locals_->end()) return {};
  return value(local->second);
}

/// A call of a function that is one expression, as that expression.
ir::Node Lowering::look_into(const clang::CallExpr* call, const clang::Expr* result) {
  const clang::FunctionDecl* callee = nullptr;
  call->getDirectCallee()->hasBody(callee);
  std::map<const clang::VarDecl*, ir::Node> given;
  const auto arguments = arguments_of(call);
  for (unsigned i = 0; i < arguments.size(); ++i) given[callee->getParamDecl(i)] = argument(arguments[i]);
  const clang::Expr* object = object_of(call);
  std::optional<ir::Node> given_this;
  if (object != nullptr) given_this = argument(object);
  std::swap(given, given_);
  std::swap(given_this, given_this_);
  const ir::Node returned = argument(result);
  std::swap(given, given_);
  std::swap(given_this, given_this_);
  return returned;
}

ir::Target Lowering::target_of(const OverwriteSite& site, const Locals& locals) {
  std::vector<ir::Instruction> aside;
  aside_ = &aside;
  locals_ = &locals;
  ir::Target target;
  if (site.element != nullptr) {
    const LValue element = place(site.element);
    target.object = element.object;
    target.pointer = element.pointer;
  } else {
    target.pointer = value(site.pointer);
    value(site.count);
  }
  for (const Level& level : site.levels) {
    value(level.low);
    value(level.high);
  }
  aside_ = nullptr;
  locals_ = nullptr;
  for (const clang::Expr* expression : expressions_of(site)) target.divides |= divides(expression, *context_);
  for (const auto& [variable, local] : locals) target.divides |= divides(local, *context_);
  std::vector<ir::Node> counters;
  for (const Level& level : site.levels) counters.push_back(symbols_.variable(level.variable));
  for (const ir::Instruction& instruction : aside) {
    if (instruction.op == ir::Op::read && std::ranges::find(counters, instruction.b) == counters.end())
      target.reads.push_back({instruction.b, instruction.member});
    if (instruction.op == ir::Op::load) target.loads.push_back({instruction.b, instruction.member});
    // Temporaries of the pointer have to be known to the points-to analysis.
    symbols_.program().initial.push_back(instruction);
  }
  return target;
}

ir::Index Lowering::add_overwrite(OverwriteSite site) {
  auto& program = symbols_.program();
  ir::Overwrite made{.target = target_of(site, site.nest),
                     .at_entry = {},
                     .handle = static_cast<ir::Index>(symbols_.source().overwrites.size())};
  if (unfold_function(site, declaration_)) made.at_entry = target_of(site, site.function);
  program.overwrites.push_back(std::move(made));
  symbols_.source().overwrites.push_back(std::move(site));
  return static_cast<ir::Index>(program.overwrites.size() - 1);
}

}  // namespace cppc::frontend
