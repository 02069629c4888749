#include "lowering.hpp"
#include "syntax.hpp"

namespace cppc::frontend {

namespace {

bool is_mpi_success(const clang::Expr* e, const clang::ASTContext& context) {
  const clang::SourceLocation where = e->IgnoreParenCasts()->getBeginLoc();
  return where.isMacroID() &&
         clang::Lexer::getImmediateMacroName(where, context.getSourceManager(), context.getLangOpts()) == "MPI_SUCCESS";
}

ir::Condition::MpiStatus mpi_status_in(const clang::Expr* e, const clang::ASTContext& context) {
  using MpiStatus = ir::Condition::MpiStatus;
  const auto* b = llvm::dyn_cast<clang::BinaryOperator>(e->IgnoreParenImpCasts());
  if (b == nullptr || !b->isEqualityOp()) return MpiStatus::unrelated;
  if (!is_mpi_success(b->getLHS(), context) && !is_mpi_success(b->getRHS(), context)) return MpiStatus::unrelated;
  return b->getOpcode() == clang::BO_EQ ? MpiStatus::success : MpiStatus::failure;
}

bool is_zero(const clang::Expr* e, const clang::ASTContext& context) {
  clang::Expr::EvalResult known;
  return e->getType()->isIntegerType() && e->EvaluateAsInt(known, context) && known.Val.getInt().isZero();
}

/// `n`, `n > 0` and `n != 0` say it of n; null: none.
const clang::Expr* not_zero_by(const clang::Expr* e, const clang::ASTContext& context) {
  const clang::Expr* const plain = e->IgnoreParenImpCasts();
  if (const auto* b = llvm::dyn_cast<clang::BinaryOperator>(plain); b != nullptr && b->isComparisonOp()) {
    const bool differs = b->getOpcode() == clang::BO_GT || b->getOpcode() == clang::BO_NE;
    return differs && is_zero(b->getRHS(), context) ? b->getLHS() : nullptr;
  }
  return plain->getType()->isIntegerType() ? plain : nullptr;
}

}  // namespace

/// Evaluates it. It can be compared with others when it only reads variables.
ir::Index Lowering::condition(const clang::Expr* e) {
  const ir::Index before = block_;
  const std::size_t first = function().blocks[block_].instructions.size();
  value(e);
  ir::Condition made{.mpi_status = mpi_status_in(e, *context_), .text = {}, .nonzero = {}, .reads = {}};
  bool comparable = block_ == before && !has_effects(e) && !has_call(e);
  if (comparable)
    for (std::size_t i = first; i < function().blocks[block_].instructions.size(); ++i) {
      const auto& instruction = function().blocks[block_].instructions[i];
      comparable = comparable && instruction.op == ir::Op::read;
      made.reads.push_back(instruction.b);
    }
  if (comparable) {
    made.text = spelling(e, *context_);
    if (const clang::Expr* const number = not_zero_by(e, *context_)) made.nonzero = spelling(number, *context_);
  }
  auto& conditions = symbols_.program().conditions;
  conditions.push_back(std::move(made));
  return static_cast<ir::Index>(conditions.size() - 1);
}

void Lowering::branch(const clang::IfStmt* s) {
  if (s->isConstexpr())
    if (const auto chosen = s->getNondiscardedCase(*context_)) return statement(*chosen);
  if (s->isConsteval()) {
    const ir::Index from = block_, one = block(), after = block();
    function().blocks[from].successors = {one, after};
    at(one);
    statement(s->getThen());
    statement(s->getElse());
    function().blocks[block_].successors.push_back(after);
    return at(after);
  }
  statement(s->getInit());
  if (s->getConditionVariable() != nullptr) declaration(s->getConditionVariableDeclStmt());
  mark(s, Part::statement, s->getCond());
  const ir::Index condition = this->condition(s->getCond()), around = condition_;
  const ir::Index from = block_;
  function().blocks[from].condition = condition;
  const ir::Index then = block(), after = block();
  function().blocks[from].successors.push_back(then);
  at(then);
  if (symbols_.program().conditions[condition].mpi_status == ir::Condition::MpiStatus::unrelated)
    condition_ = condition;
  statement(s->getThen());
  condition_ = around;
  function().blocks[block_].successors.push_back(after);
  if (s->getElse() != nullptr) {
    const ir::Index otherwise = block();
    function().blocks[from].successors.push_back(otherwise);
    at(otherwise);
    statement(s->getElse());
    function().blocks[block_].successors.push_back(after);
  } else {
    function().blocks[from].successors.push_back(after);
  }
  at(after);
}

}  // namespace cppc::frontend
