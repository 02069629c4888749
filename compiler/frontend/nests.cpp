#include "nests.hpp"

#include <clang/AST/Decl.h>

#include <algorithm>
#include <array>
#include <optional>

#include "cxx.hpp"
#include "plain.hpp"
#include "syntax.hpp"

namespace cppc::frontend {

bool mentions(const clang::Stmt* s, const clang::VarDecl* variable) {
  if (s == nullptr) return false;
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(s)) return name->getDecl() == variable;
  return std::ranges::any_of(s->children(), [&](const clang::Stmt* child) { return mentions(child, variable); });
}

namespace {

const clang::VarDecl* variable_of(const clang::Expr* e) {
  const auto* name = llvm::dyn_cast_or_null<clang::DeclRefExpr>(e != nullptr ? e->IgnoreParenImpCasts() : nullptr);
  return name != nullptr ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
}

bool leaves(const clang::Stmt* s) {
  if (s == nullptr) return false;
  return llvm::isa<clang::BreakStmt, clang::ContinueStmt, clang::GotoStmt, clang::IndirectGotoStmt, clang::ReturnStmt,
                   clang::LabelStmt, clang::SwitchStmt, clang::StmtExpr, clang::CXXThrowExpr, clang::CXXTryStmt,
                   clang::CoreturnStmt, clang::CoawaitExpr, clang::CoyieldExpr>(s) ||
         std::ranges::any_of(s->children(), leaves);
}

/// Whether there is more than reads of its value: in C++ a reference may be bound to it anywhere.
bool only_read(const clang::Stmt* s, const clang::VarDecl* variable) {
  if (s == nullptr) return true;
  if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(s);
      cast != nullptr && cast->getCastKind() == clang::CK_LValueToRValue && variable_of(cast->getSubExpr()) == variable)
    return true;
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(s)) return name->getDecl() != variable;
  return std::ranges::all_of(s->children(), [&](const clang::Stmt* child) { return only_read(child, variable); });
}

bool assigns(const clang::Stmt* s, const clang::VarDecl* variable) {
  if (s == nullptr) return false;
  if (llvm::isa<clang::AsmStmt>(s) && mentions(s, variable)) return true;
  if (variable->getASTContext().getLangOpts().CPlusPlus) return !only_read(s, variable);
  if (variable_of(changed_by(s)) == variable) return true;
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(s);
      unary != nullptr && unary->getOpcode() == clang::UO_AddrOf && variable_of(unary->getSubExpr()) == variable)
    return true;
  return std::ranges::any_of(s->children(), [&](const clang::Stmt* child) { return assigns(child, variable); });
}

/// Whether code that is not here may run.
bool calls(const clang::Stmt* s) {
  if (s == nullptr) return false;
  return llvm::isa<clang::CallExpr, clang::CXXConstructExpr, clang::AsmStmt>(s) ||
         std::ranges::any_of(s->children(), calls);
}

/// Whether other names may lead to a variable: its address is taken, or a reference is bound to it.
bool has_other_names(const clang::Stmt* s, const clang::VarDecl* variable) {
  if (s == nullptr) return false;
  const auto is_it = [variable](const clang::Expr* e) { return variable_of(e) == variable; };
  if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(s);
      cast != nullptr && cast->getCastKind() == clang::CK_LValueToRValue && is_it(cast->getSubExpr()))
    return false;
  if (const auto* changed = changed_by(s); changed != nullptr && is_it(changed)) {
    const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(s);
    return binary != nullptr && has_other_names(binary->getRHS(), variable);
  }
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(s)) return name->getDecl() == variable;
  return std::ranges::any_of(s->children(), [&](const clang::Stmt* child) { return has_other_names(child, variable); });
}

/// Whether something of the variable's type is written to that is not named.
bool writes_to_others(const clang::Stmt* s, const clang::VarDecl* variable) {
  if (s == nullptr) return false;
  const auto* changed = llvm::dyn_cast_or_null<clang::Expr>(changed_by(s));
  if (changed != nullptr && variable_of(changed) == nullptr &&
      variable->getASTContext().hasSameUnqualifiedType(changed->getType(), variable->getType()))
    return true;
  return std::ranges::any_of(s->children(),
                             [&](const clang::Stmt* child) { return writes_to_others(child, variable); });
}

/// Whether nobody but the loop's function, where it names the counter, changes it while the loop runs.
bool is_left_alone(const clang::VarDecl* variable, const clang::Stmt* body) {
  const auto* function = llvm::dyn_cast_or_null<clang::FunctionDecl>(variable->getParentFunctionOrMethod());
  const bool perhaps = calls(body) || writes_to_others(body, variable);
  return !perhaps || (function != nullptr && !has_other_names(function->getBody(), variable));
}

/// Whether the loop makes no fewer passes than the numbers say: not where a negative one becomes a large one, nor where
/// the counter begins anew, nor where they are no numbers of a register.
bool counts_up_plainly(const clang::VarDecl* variable, const clang::Expr* low, const clang::BinaryOperator* condition) {
  const auto& ast = variable->getASTContext();
  const clang::QualType counter = variable->getType();
  if (ast.getTypeSize(counter) < ast.getTypeSize(ast.IntTy)) return false;
  const std::array<const clang::Expr*, 3> numbers{low->IgnoreParenImpCasts(), condition->getLHS(), condition->getRHS()};
  const auto fits = [&](const clang::Expr* e) {
    return e->getType()->isIntegralOrEnumerationType() && ast.getTypeSize(e->getType()) <= ast.getTypeSize(ast.LongTy);
  };
  if (!std::ranges::all_of(numbers, fits)) return false;
  const bool unsigned_test = condition->getLHS()->getType()->isUnsignedIntegerType();
  if (!counter->isUnsignedIntegerType() && !unsigned_test) return true;
  const clang::Expr* first = low->IgnoreParenImpCasts();
  clang::Expr::EvalResult value;
  if (first->getType()->isUnsignedIntegerType()) return true;
  return !first->isValueDependent() && first->EvaluateAsInt(value, ast) && value.Val.getInt().isNonNegative();
}

/// `for (i = low; i < high; ++i)` over an integer that the body leaves alone.
bool counts(const clang::ForStmt* s, Level& level) {
  const clang::VarDecl* variable = nullptr;
  if (const auto* d = llvm::dyn_cast_or_null<clang::DeclStmt>(s->getInit()); d != nullptr && d->isSingleDecl()) {
    variable = llvm::dyn_cast<clang::VarDecl>(d->getSingleDecl());
    if (variable != nullptr) level.low = variable->getInit();
  } else if (const auto* b = llvm::dyn_cast_or_null<clang::BinaryOperator>(s->getInit());
             b != nullptr && b->getOpcode() == clang::BO_Assign) {
    variable = variable_of(b->getLHS());
    level.low = b->getRHS();
  }
  const auto* condition = llvm::dyn_cast_or_null<clang::BinaryOperator>(s->getCond());
  const auto* step = llvm::dyn_cast_or_null<clang::UnaryOperator>(s->getInc());
  if (variable == nullptr || level.low == nullptr || !variable->getType()->isIntegerType() || condition == nullptr)
    return false;
  if (condition->getOpcode() != clang::BO_LT && condition->getOpcode() != clang::BO_LE) return false;
  const bool by_one = step != nullptr && step->isIncrementOp() && variable_of(step->getSubExpr()) == variable;
  if (!by_one || variable_of(condition->getLHS()) != variable) return false;
  level.variable = variable;
  level.high = condition->getRHS();
  level.inclusive = condition->getOpcode() == clang::BO_LE;
  return plain(level.low) && plain(level.high) && !mentions(level.high, variable) && !mentions(level.low, variable) &&
         !assigns(s->getBody(), variable) && is_left_alone(variable, s->getBody()) &&
         counts_up_plainly(variable, level.low, condition);
}

/// `for (T& variable : container)` over elements of type T that lie side by side.
bool goes_through(const clang::CXXForRangeStmt* s, Level& level) {
  const clang::VarDecl* variable = s->getLoopVariable();
  const clang::Expr* container = s->getRangeInit();
  if (!variable->getType()->isLValueReferenceType() || container == nullptr || !container->isLValue()) return false;
  const clang::QualType type = container->getType().getUnqualifiedType();
  const auto* array = type->getAsArrayTypeUnsafe();
  if (array == nullptr && kind_of(type) != Kind::array && (type->isPointerType() || !is_vector(type))) return false;
  const clang::QualType element = array != nullptr ? array->getElementType() : element_of(type);
  const auto& ast = variable->getASTContext();
  if (!ast.hasSameUnqualifiedType(variable->getType().getNonReferenceType(), element)) return false;
  level.variable = variable;
  level.container = container;
  return plain(container);
}

const clang::Stmt* body_of_loop(const clang::Stmt* s) {
  if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(s)) return loop->getBody();
  const auto* loop = llvm::dyn_cast<clang::CXXForRangeStmt>(s);
  return loop != nullptr ? loop->getBody() : nullptr;
}

/// The loop as one of a nest; nothing when its passes cannot be told.
std::optional<Level> level_of(const clang::Stmt* s) {
  Level level;
  if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(s); loop != nullptr && counts(loop, level)) return level;
  const auto* range = llvm::dyn_cast<clang::CXXForRangeStmt>(s);
  return range != nullptr && goes_through(range, level) ? std::optional(level) : std::nullopt;
}

/// What parameters of a function that is one expression are at a call.
using Given = std::map<const clang::VarDecl*, const clang::Expr*>;

bool mentions_in(const clang::Stmt* s, const clang::VarDecl* variable, const Given& given) {
  return mentions(s, variable) || std::ranges::any_of(given, [&](const auto& one) {
           return mentions(s, one.first) && mentions(one.second, variable);
         });
}

/// Without conversions to integers that are as large.
const clang::Expr* without_widening(const clang::Expr* e) {
  e = e->IgnoreParenImpCasts();
  const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(e);
  if (cast == nullptr || !cast->getType()->isIntegerType()) return e;
  const clang::Expr* sub = cast->getSubExpr()->IgnoreParenImpCasts();
  const auto* variable = variable_of(sub);
  if (variable == nullptr || !variable->getType()->isIntegerType()) return e;
  const auto& ast = variable->getASTContext();
  return ast.getTypeSize(cast->getType()) >= ast.getTypeSize(variable->getType()) ? sub : e;
}

/// Whether elements of consecutive values of the variable lie side by side.
bool consecutive(const clang::Expr* index, const clang::VarDecl* variable, const Given& given) {
  index = without_widening(index);
  if (variable_of(index) == variable) return true;
  if (const auto argument = given.find(variable_of(index)); argument != given.end())
    return consecutive(argument->second, variable, {});
  const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(index);
  if (sum == nullptr || (sum->getOpcode() != clang::BO_Add && sum->getOpcode() != clang::BO_Sub)) return false;
  if (!mentions_in(sum->getRHS(), variable, given)) return consecutive(sum->getLHS(), variable, given);
  return sum->getOpcode() == clang::BO_Add && !mentions_in(sum->getLHS(), variable, given) &&
         consecutive(sum->getRHS(), variable, given);
}

/// Whether an integer type has all values of the variable.
bool holds_all_of(clang::QualType type, const clang::VarDecl* variable) {
  const auto& ast = variable->getASTContext();
  return type->isIntegerType() && ast.getTypeSize(type) >= ast.getTypeSize(variable->getType());
}

/// Whether consecutive values of the variable give elements that lie side by side: those of an array or container, or
/// what a function returns a reference to that is one expression.
bool side_by_side(const clang::Expr* e, const clang::VarDecl* variable) {
  Given given;
  Element found = element(e);
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(e); call != nullptr && found.base == nullptr) {
    const clang::Expr* result = plain_result(call);
    const clang::FunctionDecl* callee = nullptr;
    if (result == nullptr || !result->isGLValue() || !call->getDirectCallee()->hasBody(callee)) return false;
    if (const clang::Expr* object = object_of(call); object != nullptr && mentions(object, variable)) return false;
    const auto arguments = arguments_of(call);
    for (unsigned i = 0; i < arguments.size(); ++i) {
      const clang::QualType type = callee->getParamDecl(i)->getType();
      if (mentions(arguments[i], variable) && !holds_all_of(type, variable)) return false;
      given[callee->getParamDecl(i)] = arguments[i];
    }
    found = element(result);
  }
  return found.base != nullptr && consecutive(found.index, variable, given) &&
         !mentions_in(found.base, variable, given);
}

/// Whether a local variable has the value that it is declared with wherever it is named, or refers to that.
bool stands_for_its_value(const clang::VarDecl* variable, const clang::Stmt* within) {
  const clang::Expr* value = variable->getInit();
  if (!variable->hasLocalStorage() || value == nullptr || !plain(value)) return false;
  if (variable->getType()->isReferenceType())  // not of a part of an object, which has names of its own
    return value->isLValue() && variable->getASTContext().hasSameUnqualifiedType(
                                    variable->getType().getNonReferenceType(), value->IgnoreParenImpCasts()->getType());
  return variable->getType()->isScalarType() && !assigns(within, variable);
}

/// The arrays that every pass of a nest of loops writes whole ranges of, seen from the outermost loop.
class RangeFinder {
 public:
  explicit RangeFinder(const clang::Stmt* nest) : nest_(nest) { look_at(nest); }
  [[nodiscard]] std::vector<OverwriteSite> found(ir::Index unit) const {
    std::vector<OverwriteSite> sites;
    Locals nest;
    for (const auto& [variable, local] : locals_) nest[variable] = local.value;
    for (const auto& [levels, element] : found_)
      sites.push_back({.unit = unit, .levels = levels, .element = element, .nest = nest});
    return sites;
  }

 private:
  struct Local {
    const clang::Expr* value;
    std::size_t depth;  ///< loops around its declaration
  };
  void look_at(const clang::Stmt* s);
  void declare(const clang::DeclStmt* s);
  void assign(const clang::BinaryOperator* assignment);
  [[nodiscard]] bool locals_stand(const clang::Stmt* s) const;

  const clang::Stmt* nest_;
  std::vector<Level> levels_;  ///< around what is looked at
  std::map<const clang::VarDecl*, Local> locals_;
  std::vector<std::pair<std::vector<Level>, const clang::Expr*>> found_;
};

void RangeFinder::look_at(const clang::Stmt* s) {
  if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(s)) {
    for (const clang::Stmt* child : block->body()) look_at(child);
  } else if (const clang::Stmt* body = body_of_loop(s); body != nullptr) {
    const auto level = level_of(s);
    if (!level) return;
    levels_.push_back(*level);
    look_at(body);
    levels_.pop_back();
  } else if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(s)) {
    declare(declaration);
  } else if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(s)) {
    assign(binary);
  }
}

/// Variables of the nest that only ever have the value they are declared with stand for that.
void RangeFinder::declare(const clang::DeclStmt* s) {
  for (const clang::Decl* d : s->decls()) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(d);
    if (variable != nullptr && stands_for_its_value(variable, nest_))
      locals_[variable] = {variable->getInit(), levels_.size()};
  }
}

/// Whether the values of the nest's variables that are named there do not change while the innermost loop runs.
bool RangeFinder::locals_stand(const clang::Stmt* s) const {
  if (s == nullptr) return true;
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(s)) {
    const auto local = locals_.find(llvm::dyn_cast<clang::VarDecl>(name->getDecl()));
    if (local == locals_.end()) return true;
    for (std::size_t l = std::min(local->second.depth, levels_.size() - 1); l < levels_.size(); ++l)
      if (mentions(local->second.value, levels_[l].variable)) return false;
    return locals_stand(local->second.value);
  }
  return std::ranges::all_of(s->children(), [this](const clang::Stmt* child) { return locals_stand(child); });
}

void RangeFinder::assign(const clang::BinaryOperator* assignment) {
  if (levels_.empty() || assignment->getOpcode() != clang::BO_Assign) return;
  // A chain a[i] = b[i] = ... writes all of them.
  if (const auto* more = llvm::dyn_cast<clang::BinaryOperator>(assignment->getRHS()->IgnoreParenImpCasts());
      more != nullptr)
    assign(more);
  const clang::Expr* element = assignment->getLHS()->IgnoreParens();
  if (!plain(element)) return;
  const Level& last = levels_.back();
  const bool bounds = std::ranges::all_of(levels_, [this](const Level& level) {
    return locals_stand(level.low) && locals_stand(level.high) && locals_stand(level.container);
  });
  const bool all = last.container != nullptr ? variable_of(element) == last.variable
                                             : side_by_side(element, last.variable) && locals_stand(element);
  if (bounds && all) found_.emplace_back(levels_, element);
}

/// Of the function that declares a local variable: in a lambda, another one than the code is in.
const clang::Stmt* body_around(const clang::VarDecl* variable, const clang::FunctionDecl* function) {
  const auto* declaring = llvm::dyn_cast_or_null<clang::FunctionDecl>(variable->getParentFunctionOrMethod());
  return (declaring != nullptr ? declaring : function)->getBody();
}

}  // namespace

std::vector<OverwriteSite> ranges_written_by(const clang::Stmt* nest, ir::Index unit) {
  const clang::Stmt* body = body_of_loop(nest);
  if (body == nullptr || leaves(body)) return {};
  return RangeFinder(nest).found(unit);
}

bool unfold(const clang::Stmt* s, const Locals& known, const clang::FunctionDecl* function, Locals& found) {
  if (s == nullptr) return true;
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(s);
  const auto* variable = name != nullptr ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  if (variable != nullptr && variable->hasLocalStorage() && !llvm::isa<clang::ParmVarDecl>(variable) &&
      !known.contains(variable) && !found.contains(variable)) {
    if (!stands_for_its_value(variable, body_around(variable, function))) return false;
    found[variable] = variable->getInit();
    return unfold(variable->getInit(), known, function, found);
  }
  return std::ranges::all_of(s->children(),
                             [&](const clang::Stmt* child) { return unfold(child, known, function, found); });
}

void unfold_some(const clang::Stmt* s, const std::function<bool(const clang::VarDecl*)>& wanted,
                 const clang::FunctionDecl* function, Locals& found) {
  if (s == nullptr) return;
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(s);
  const auto* variable = name != nullptr ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  if (variable != nullptr && !llvm::isa<clang::ParmVarDecl>(variable) && !found.contains(variable) &&
      wanted(variable) && stands_for_its_value(variable, body_around(variable, function))) {
    found[variable] = variable->getInit();
    unfold_some(variable->getInit(), wanted, function, found);
  }
  for (const clang::Stmt* child : s->children()) unfold_some(child, wanted, function, found);
}

}  // namespace cppc::frontend
