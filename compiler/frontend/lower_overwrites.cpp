/// Nests of counting loops that write an array from one end to the other.

#include "lowering.hpp"

namespace cppc::frontend {

namespace {

const clang::VarDecl* variable_of(const clang::Expr* e) {
  const auto* name = llvm::dyn_cast_or_null<clang::DeclRefExpr>(e != nullptr ? e->IgnoreParenImpCasts() : nullptr);
  return name != nullptr ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
}

bool mentions(const clang::Stmt* s, const clang::VarDecl* variable) {
  if (s == nullptr) return false;
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(s)) return name->getDecl() == variable;
  return std::ranges::any_of(s->children(), [&](const clang::Stmt* child) { return mentions(child, variable); });
}

/// Variables, members, constants and arithmetic: what can be evaluated elsewhere without effects.
bool plain(const clang::Stmt* s) {
  if (s == nullptr) return true;
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(s); unary != nullptr && unary->isIncrementDecrementOp())
    return false;
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(s); binary != nullptr && binary->isAssignmentOp())
    return false;
  if (!llvm::isa<clang::DeclRefExpr, clang::MemberExpr, clang::ArraySubscriptExpr, clang::ParenExpr, clang::CastExpr,
                 clang::UnaryOperator, clang::BinaryOperator, clang::IntegerLiteral, clang::ConstantExpr,
                 clang::UnaryExprOrTypeTraitExpr>(s))
    return false;
  return std::ranges::all_of(s->children(), plain);
}

bool leaves(const clang::Stmt* s) {
  if (s == nullptr) return false;
  return llvm::isa<clang::BreakStmt, clang::ContinueStmt, clang::GotoStmt, clang::IndirectGotoStmt, clang::ReturnStmt,
                   clang::LabelStmt, clang::SwitchStmt, clang::StmtExpr>(s) ||
         std::ranges::any_of(s->children(), leaves);
}

bool assigns(const clang::Stmt* s, const clang::VarDecl* variable) {
  if (s == nullptr) return false;
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(s);
      binary != nullptr && binary->isAssignmentOp() && variable_of(binary->getLHS()) == variable)
    return true;
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(s);
      unary != nullptr && (unary->isIncrementDecrementOp() || unary->getOpcode() == clang::UO_AddrOf) &&
      variable_of(unary->getSubExpr()) == variable)
    return true;
  return std::ranges::any_of(s->children(), [&](const clang::Stmt* child) { return assigns(child, variable); });
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
         !assigns(s->getBody(), variable);
}

/// Whether elements of consecutive values of the variable lie side by side.
bool consecutive(const clang::Expr* index, const clang::VarDecl* variable) {
  index = index->IgnoreParenImpCasts();
  if (variable_of(index) == variable) return true;
  const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(index);
  if (sum == nullptr || (sum->getOpcode() != clang::BO_Add && sum->getOpcode() != clang::BO_Sub)) return false;
  if (!mentions(sum->getRHS(), variable)) return consecutive(sum->getLHS(), variable);
  return sum->getOpcode() == clang::BO_Add && !mentions(sum->getLHS(), variable) &&
         consecutive(sum->getRHS(), variable);
}

using Found = std::vector<std::pair<std::vector<Level>, const clang::Expr*>>;

/// The arrays that every pass of the statement writes whole ranges of, seen from the outermost loop.
void find_ranges(const clang::Stmt* s, const std::vector<Level>& outer, Found& found) {
  if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(s)) {
    for (const clang::Stmt* child : block->body()) find_ranges(child, outer, found);
    return;
  }
  if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(s)) {
    Level level{};
    if (!counts(loop, level)) return;
    std::vector<Level> levels = outer;
    levels.push_back(level);
    return find_ranges(loop->getBody(), levels, found);
  }
  const auto* assignment = llvm::dyn_cast<clang::BinaryOperator>(s);
  if (assignment == nullptr || outer.empty() || assignment->getOpcode() != clang::BO_Assign) return;
  // A chain a[i] = b[i] = ... writes all of them.
  const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(assignment->getLHS()->IgnoreParens());
  if (const auto* more = llvm::dyn_cast<clang::BinaryOperator>(assignment->getRHS()->IgnoreParenImpCasts());
      more != nullptr)
    find_ranges(more, outer, found);
  if (element == nullptr || !plain(element) || !consecutive(element->getIdx(), outer.back().variable) ||
      mentions(element->getBase(), outer.back().variable))
    return;
  found.emplace_back(outer, element);
}

}  // namespace

/// After an outermost loop of a nest, or any loop that is the outermost one of its own: inner nests have been seen when
/// they were lowered, and are told again from here with one loop more.
std::vector<ir::Index> Lowering::overwrites_of(const clang::Stmt* s) {
  std::vector<ir::Index> made;
  const auto* loop = llvm::dyn_cast<clang::ForStmt>(s);
  if (loop == nullptr || leaves(loop->getBody()) || aside_ != nullptr) return made;
  Found found;
  find_ranges(s, {}, found);
  for (const auto& [levels, element] : found) made.push_back(add_overwrite({symbols_.unit, levels, element}));
  return made;
}

ir::Index Lowering::add_overwrite(const OverwriteSite& site) {
  auto& program = symbols_.program();
  ir::Overwrite made{.handle = static_cast<ir::Index>(symbols_.source().overwrites.size())};
  std::vector<ir::Instruction> aside;
  aside_ = &aside;
  const LValue target = place(site.element);
  for (const Level& level : site.levels) {
    value(level.low);
    value(level.high);
  }
  aside_ = nullptr;
  made.object = target.object;
  made.pointer = target.pointer;
  std::vector<ir::Node> counters;
  for (const Level& level : site.levels) counters.push_back(symbols_.variable(level.variable));
  for (const ir::Instruction& instruction : aside) {
    if (instruction.op == ir::Op::read && std::ranges::find(counters, instruction.b) == counters.end())
      made.reads.push_back(instruction.b);
    if (instruction.op == ir::Op::load) made.loads.push_back(instruction.b);
    // Temporaries of the element's pointer have to be known to the points-to analysis.
    if (instruction.op != ir::Op::call && instruction.op != ir::Op::marker) program.initial.push_back(instruction);
  }
  const auto index = static_cast<ir::Index>(program.overwrites.size());
  program.overwrites.push_back(std::move(made));
  symbols_.source().overwrites.push_back(site);
  emit(ir::Op::overwrite, ir::nothing, ir::nothing, index);
  return index;
}

}  // namespace cppc::frontend
