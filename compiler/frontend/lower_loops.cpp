#include <algorithm>
#include <cmath>

#include "lowering.hpp"
#include "syntax.hpp"

namespace cppc::frontend {

namespace {

/// Whether the main file comes to it by lines of its own, and not by an option (-include).
bool is_included(const clang::SourceManager& manager, clang::SourceLocation place) {
  clang::FileID file = manager.getFileID(manager.getExpansionLoc(place));
  while (file.isValid() && file != manager.getMainFileID()) file = manager.getDecomposedIncludedLoc(file).first;
  return file.isValid();
}

}  // namespace

/// Trips of `for (i = a; i < b; i++)` with constant bounds, else 0.
double Lowering::trips(const clang::ForStmt* s) const {
  const auto* condition = llvm::dyn_cast_or_null<clang::BinaryOperator>(s->getCond());
  if (condition == nullptr || !condition->isRelationalOp()) return 0;
  const clang::Expr* from = nullptr;
  if (const auto* d = llvm::dyn_cast_or_null<clang::DeclStmt>(s->getInit()); d != nullptr && d->isSingleDecl()) {
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(d->getSingleDecl())) from = variable->getInit();
  } else if (const auto* b = llvm::dyn_cast_or_null<clang::BinaryOperator>(s->getInit())) {
    if (b->getOpcode() == clang::BO_Assign) from = b->getRHS();
  }
  clang::Expr::EvalResult low, high;
  if (from == nullptr || from->isValueDependent() || !from->EvaluateAsInt(low, *context_)) return 0;
  if (!condition->getRHS()->EvaluateAsInt(high, *context_)) return 0;
  const double width = static_cast<double>(high.Val.getInt().getExtValue() - low.Val.getInt().getExtValue());
  return std::max(1.0, std::abs(width));
}

void Lowering::loop(const clang::Stmt* s, const clang::Stmt* init, const clang::Expr* condition,
                    const clang::Expr* increment, const clang::Stmt* body, bool at_end) {
  const ir::Index outside = block_;
  const std::size_t start = aside_ == nullptr ? function().blocks[block_].instructions.size() : 0;
  if (init != nullptr) start_loop(s, init);
  const ir::Index index = add_loop(s, body), outer = loop_;
  loop_ = index;
  passes(s, condition, increment, body, at_end);
  symbols_.program().loops[index].end = ++order_;
  loop_ = outer;
  for (const ir::Index overwrite : overwrites_of(s)) {
    emit(ir::Op::overwrite, ir::nothing, ir::nothing, overwrite);
    auto& before = function().blocks[outside].instructions;
    before.insert(before.begin() + static_cast<std::ptrdiff_t>(start),
                  {ir::Op::overwrite_begin, ir::nothing, ir::nothing, overwrite});
  }
}

void Lowering::start_loop(const clang::Stmt* s, const clang::Stmt* init) {
  mark(s, Part::statement, init);
  if (const auto* d = llvm::dyn_cast<clang::DeclStmt>(init))
    for (const clang::Decl* one : d->decls()) {
      if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(one)) declare(variable);
    }
  else
    discarded(llvm::cast<clang::Expr>(init));
}

/// To the program's loops, with a marker in its body.
ir::Index Lowering::add_loop(const clang::Stmt* s, const clang::Stmt* body) {
  auto& program = symbols_.program();
  const auto index = static_cast<ir::Index>(program.loops.size());
  ir::Loop made{.function = index_, .parent = loop_, .begin = ++order_};
  made.where = position(manager(), s->getBeginLoc(), program);
  if (const auto* f = llvm::dyn_cast<clang::ForStmt>(s)) made.trips = trips(f);
  made.obstacle = obstacle_of(s, body);
  apply_pragmas(s, made);
  made.marker = static_cast<ir::Index>(program.markers.size());
  program.markers.push_back({.function = index_,
                             .loop = index,
                             .where = made.where,
                             .handle = static_cast<ir::Index>(symbols_.source().markers.size())});
  symbols_.source().markers.push_back({symbols_.unit, s, Part::body});
  program.loops.push_back(made);
  return index;
}

/// From the first test or pass to what follows the loop.
void Lowering::passes(const clang::Stmt* s, const clang::Expr* condition, const clang::Expr* increment,
                      const clang::Stmt* body, bool at_end) {
  const ir::Index test = block(), inside = block(), next = block(), after = block();
  const std::size_t clean_ups_before = clean_ups_.size();
  go(at_end ? inside : test);
  if (!at_end) loop_test(s, condition, test, inside, after);
  at(inside);
  emit(ir::Op::marker, ir::nothing, ir::nothing, symbols_.program().loops[loop_].marker);
  targets_.push_back({after, next, clean_ups_before, clean_ups_.size()});
  if (const auto* range = llvm::dyn_cast<clang::CXXForRangeStmt>(s)) declaration(range->getLoopVarStmt());
  statement(body);
  end_scope(targets_.back().clean_ups_of_pass);
  targets_.pop_back();
  go(next);
  at(next);
  if (increment != nullptr) {
    mark(s, Part::increment, increment);
    discarded(increment);
  }
  go(test);
  if (at_end) loop_test(s, condition, test, inside, after);
  at(after);
}

/// In the block `test`: goes to the block `inside`, or to the one `after` the loop.
void Lowering::loop_test(const clang::Stmt* s, const clang::Expr* condition, ir::Index test, ir::Index inside,
                         ir::Index after) {
  at(test);
  bool endless = condition == nullptr;
  if (condition != nullptr) {
    mark(s, Part::condition, condition);
    const std::size_t without = clean_ups_.size();
    if (const auto* w = llvm::dyn_cast<clang::WhileStmt>(s); w != nullptr && w->getConditionVariable() != nullptr)
      declaration(w->getConditionVariableDeclStmt());
    if (const auto* f = llvm::dyn_cast<clang::ForStmt>(s); f != nullptr && f->getConditionVariable() != nullptr)
      declaration(f->getConditionVariableDeclStmt());
    if (clean_ups_.size() != without) opaque("it has a loop whose condition declares an object that is destroyed");
    value(condition);
    clang::Expr::EvalResult known;
    endless = condition->EvaluateAsInt(known, *context_) && known.Val.getInt() != 0;
  }
  function().blocks[block_].successors.push_back(inside);
  if (!endless) function().blocks[block_].successors.push_back(after);
}

void Lowering::apply_pragmas(const clang::Stmt* s, ir::Loop& made) {
  const unsigned begin = manager().getFileOffset(manager().getExpansionLoc(s->getBeginLoc()));
  if (!manager().isInMainFile(manager().getExpansionLoc(s->getBeginLoc()))) return;
  const llvm::StringRef text = manager().getBufferData(manager().getMainFileID());
  for (Pragma& pragma : symbols_.source().units[symbols_.unit].pragmas) {
    const unsigned end = pragma.offset + pragma.length;
    if (end > begin || text.slice(end, begin).find_first_of(";{}") != llvm::StringRef::npos) continue;
    if (pragma.word == "checkpoint") made.forced = pragma.used = true;
    if (pragma.word == "off") made.forbidden = pragma.used = true;
  }
}

/// Why text cannot be inserted into the loop's header and body.
std::string Lowering::obstacle_of(const clang::Stmt* s, const clang::Stmt* body) {
  if (in_team_) return "several threads may pass through it";
  if (declaration_ != nullptr && declaration_->isConstexpr()) return "the compiler may evaluate its function";
  if (!by_address()) return s->getBeginLoc().isMacroID() ? "the loop's header comes from a macro" : "";
  if (body->getBeginLoc().isMacroID() || body->getEndLoc().isMacroID()) return "the loop's body comes from a macro";
  if (manager().isInSystemHeader(body->getBeginLoc())) return "the loop is in a header of the system";
  return is_included(manager(), body->getBeginLoc()) ? "" : "the loop is in a header that an option includes";
}

}  // namespace cppc::frontend
