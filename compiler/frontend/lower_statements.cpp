#include "attributes.hpp"
#include "cxx.hpp"
#include "lowering.hpp"
#include "syntax.hpp"

namespace cppc::frontend {

Lowering::Lowering(Symbols& symbols, const clang::FunctionDecl* function, ir::Index index)
    : symbols_(symbols),
      declaration_(function),
      context_(&symbols.source().units[symbols.unit].ast->getASTContext()),
      index_(index) {}

const clang::SourceManager& Lowering::manager() const { return context_->getSourceManager(); }

void Lowering::run() {
  auto& program = symbols_.program();
  std::vector<ir::Node> parameters;
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(declaration_);
  if (method != nullptr && method->isInstance()) parameters.push_back(symbols_.object_parameter(method));
  for (const clang::ParmVarDecl* parameter : declaration_->parameters())
    parameters.push_back(symbols_.variable(parameter));
  const ir::Node result = temporary(), rest = temporary();
  ir::Function& own = function();
  own.defined = true;
  own.parameters = parameters;
  own.result = result;
  own.rest = rest;
  own.where = position(manager(), declaration_->getLocation(), program);
  own.blocks.resize(2);
  const clang::Stmt* body = declaration_->getBody();
  if (body->getBeginLoc().isMacroID()) own.obstacle = "its body comes from a macro";
  if (declaration_->isConstexpr()) own.obstacle = "it may be evaluated by the compiler";
  for (const clang::ParmVarDecl* parameter : declaration_->parameters()) sizes_in(parameter->getOriginalType());
  for (const clang::ParmVarDecl* parameter : declaration_->parameters())
    if (is_cxx()) add_clean_up({.object = symbols_.variable(parameter), .whole = true}, parameter->getType());
  if (const auto* constructor = llvm::dyn_cast_or_null<clang::CXXConstructorDecl>(method))
    construct_members(constructor);
  const auto* destructor = llvm::dyn_cast_or_null<clang::CXXDestructorDecl>(method);
  if (destructor != nullptr) {
    members_ = block();
    statement(body);
    go(members_);
    at(members_);
    destroy_members(destructor);
  } else {
    statement(body);
  }
  end_scope(0);
  go(ir::exit_block);
}

void Lowering::start_up(Symbols& symbols, const clang::VarDecl* variable) {
  Lowering lowering(symbols, nullptr, symbols.start_up(variable));
  const ir::Node node = symbols.variable(variable);
  if (variable->getType()->isReferenceType())
    lowering.put({.object = node, .whole = true}, lowering.address_of(lowering.place(variable->getInit())));
  else
    lowering.initialise({.object = node}, variable->getInit());
  lowering.go(ir::exit_block);
}

ir::Node Lowering::temporary() { return symbols_.program().add({}); }

void Lowering::emit(ir::Op op, ir::Node a, ir::Node b, ir::Index index, ir::Index member) {
  if (aside_ != nullptr) return aside_->push_back({op, a, b, index, member});
  if (op == ir::Op::read || op == ir::Op::load) index = position_;
  if (static_only_) {
    symbols_.program().initial.push_back({op, a, b, index, member});
    return;
  }
  function().blocks[block_].instructions.push_back({op, a, b, index, member});
}

ir::Index Lowering::block() {
  function().blocks.emplace_back();
  return static_cast<ir::Index>(function().blocks.size() - 1);
}

/// Ends the current block with a jump; what follows cannot be reached unless something jumps there.
void Lowering::go(ir::Index to) {
  function().blocks[block_].successors.push_back(to);
  block_ = block();
}

void Lowering::mark(const clang::Stmt* s, Part part, const clang::Stmt* calls_in) {
  marker_ = ir::none;
  if (!has_call(calls_in)) return;
  auto& program = symbols_.program();
  marker_ = static_cast<ir::Index>(program.markers.size());
  program.markers.push_back({.function = index_,
                             .where = position(manager(), s->getBeginLoc(), program),
                             .handle = static_cast<ir::Index>(symbols_.source().markers.size())});
  symbols_.source().markers.push_back({symbols_.unit, s, part});
  emit(ir::Op::marker, ir::nothing, ir::nothing, marker_);
}

void Lowering::simple(const clang::Stmt* s, const clang::Expr* e) {
  mark(s, Part::statement, e);
  if (e != nullptr) value(e);
}

void Lowering::statement(const clang::Stmt* s) {
  const std::size_t before = clean_ups_.size();
  statement_in_scope(s);
  if (s != nullptr && !llvm::isa<clang::DeclStmt>(s)) end_scope(before);
}

void Lowering::statement_in_scope(const clang::Stmt* s) {
  if (s == nullptr) return;
  position_ = static_cast<ir::Index>(symbols_.program().positions.size());
  symbols_.program().positions.push_back(position(manager(), s->getBeginLoc(), symbols_.program()));
  (loop_ == ir::none ? function().statements : symbols_.program().loops[loop_].statements) += 1;
  using clang::Stmt;
  switch (s->getStmtClass()) {
    case Stmt::CompoundStmtClass:
      for (const Stmt* child : llvm::cast<clang::CompoundStmt>(s)->body()) statement(child);
      return;
    case Stmt::DeclStmtClass:
      return declaration(llvm::cast<clang::DeclStmt>(s));
    case Stmt::IfStmtClass:
      return branch(llvm::cast<clang::IfStmt>(s));
    case Stmt::ForStmtClass: {
      const auto* f = llvm::cast<clang::ForStmt>(s);
      return loop(s, f->getInit(), f->getCond(), f->getInc(), f->getBody(), false);
    }
    case Stmt::WhileStmtClass: {
      const auto* w = llvm::cast<clang::WhileStmt>(s);
      return loop(s, nullptr, w->getCond(), nullptr, w->getBody(), false);
    }
    case Stmt::DoStmtClass: {
      const auto* d = llvm::cast<clang::DoStmt>(s);
      return loop(s, nullptr, d->getCond(), nullptr, d->getBody(), true);
    }
    case Stmt::SwitchStmtClass:
      return choose(llvm::cast<clang::SwitchStmt>(s));
    case Stmt::GCCAsmStmtClass:
      return assembly(llvm::cast<clang::AsmStmt>(s));
    case Stmt::NullStmtClass:
      return;
    default:
      break;
  }
  if (labelled(s) || jump(s)) return;
  if (const auto* e = llvm::dyn_cast<clang::Expr>(s)) return simple(s, e);
  if (cxx_statement(s)) return;
  if (const auto* omp = llvm::dyn_cast<clang::OMPExecutableDirective>(s)) return directive(omp);
  opaque(std::string("it has a ") + s->getStmtClassName());
  for (const Stmt* child : s->children()) statement(child);
}

/// False when nothing is written before the statement: no label, case or attribute.
bool Lowering::labelled(const clang::Stmt* s) {
  if (const auto* c = llvm::dyn_cast<clang::SwitchCase>(s)) {
    const ir::Index here = block();
    go(here);
    at(here);
    if (cases_ != nullptr) cases_->emplace_back(c, here);
    statement(c->getSubStmt());
    return true;
  }
  if (const auto* l = llvm::dyn_cast<clang::LabelStmt>(s)) {
    const ir::Index here = block_of(l->getDecl());
    go(here);
    at(here);
    statement(l->getSubStmt());
    return true;
  }
  if (const auto* attributed = llvm::dyn_cast<clang::AttributedStmt>(s)) {
    for (const clang::Attr* attribute : attributed->getAttrs())
      if (!is_hint(*attribute)) opaque(std::string("it has the attribute '") + attribute->getSpelling() + "'");
    statement(attributed->getSubStmt());
    return true;
  }
  return false;
}

ir::Index Lowering::block_of(const clang::LabelDecl* label) {
  auto [entry, fresh] = labels_.try_emplace(label, 0);
  if (fresh) entry->second = block();
  return entry->second;
}

/// False when it is none.
bool Lowering::jump(const clang::Stmt* s) {
  using clang::Stmt;
  switch (s->getStmtClass()) {
    case Stmt::GotoStmtClass:
      if (!clean_ups_.empty()) opaque("it has a goto where objects are to be destroyed");
      go(block_of(llvm::cast<clang::GotoStmt>(s)->getLabel()));
      return true;
    case Stmt::IndirectGotoStmtClass:
      function().obstacle = "it has a computed goto";
      opaque(function().obstacle);
      return true;
    case Stmt::BreakStmtClass:
      clean_up_to(targets_.back().clean_ups);
      go(targets_.back().on_break);
      return true;
    case Stmt::ContinueStmtClass:
      clean_up_to(targets_.back().clean_ups_of_pass);
      go(targets_.back().on_continue);
      return true;
    case Stmt::ReturnStmtClass: {
      const clang::Expr* e = llvm::cast<clang::ReturnStmt>(s)->getRetValue();
      mark(s, Part::statement, e);
      if (e != nullptr) {
        if (const ir::Node returned = argument(e); returned != ir::nothing)
          emit(ir::Op::copy, function().result, returned);
      }
      clean_up_to(0);
      go(members_ != ir::none ? members_ : ir::exit_block);
      return true;
    }
    default:
      return false;
  }
}

void Lowering::declaration(const clang::DeclStmt* s) {
  bool calls = false;
  for (const clang::Decl* d : s->decls()) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(d);
    if (variable != nullptr && !variable->hasGlobalStorage() && has_call(variable->getInit())) calls = true;
  }
  marker_ = ir::none;
  if (calls) mark(s, Part::statement, s);
  for (const clang::Decl* d : s->decls()) {
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(d))
      declare(variable);
    else if (const auto* name = llvm::dyn_cast<clang::TypedefNameDecl>(d))
      sizes_in(name->getUnderlyingType());
    else if (!llvm::isa<clang::TagDecl, clang::FunctionDecl, clang::LabelDecl, clang::StaticAssertDecl,
                        clang::EmptyDecl, clang::UsingDecl, clang::UsingDirectiveDecl, clang::UsingShadowDecl,
                        clang::UsingEnumDecl, clang::NamespaceAliasDecl>(d))
      opaque(std::string("it has a declaration that is not followed (") + d->getDeclKindName() + ")");
  }
}

void Lowering::declare(const clang::VarDecl* variable) {
  if (variable->hasGlobalStorage())  // else Definitions::VisitVarDecl
    return is_cxx() && variable->isStaticLocal() ? static_local(variable) : sizes_in(variable->getType());
  const ir::Node node = symbols_.variable(variable);
  loops_[variable] = loop_;
  sizes_in(variable->getType());
  if (variable->hasInit()) {
    if (variable->getType()->isReferenceType())
      put({.object = node, .whole = true}, argument(variable->getInit()));
    else
      initialise({.object = node, .whole = true}, variable->getInit());
  }
  clean_up(variable, node);
  if (const auto* parts = llvm::dyn_cast<clang::DecompositionDecl>(variable))
    for (const clang::BindingDecl* part : parts->bindings())
      if (part->getHoldingVar() != nullptr) declare(part->getHoldingVar());
  if (is_cxx()) add_clean_up({.object = node, .whole = true}, variable->getType());
}

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
  auto& program = symbols_.program();
  const ir::Index outside = block_;
  const std::size_t start = aside_ == nullptr ? function().blocks[block_].instructions.size() : 0;
  if (init != nullptr) {
    mark(s, Part::statement, init);
    if (const auto* d = llvm::dyn_cast<clang::DeclStmt>(init))
      for (const clang::Decl* one : d->decls()) {
        if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(one)) declare(variable);
      }
    else
      value(llvm::cast<clang::Expr>(init));
  }
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
  const ir::Index outer = loop_;
  loop_ = index;

  const ir::Index test = block(), inside = block(), next = block(), after = block();
  const std::size_t clean_ups_before = clean_ups_.size();
  const auto evaluate = [&] {
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
  };
  go(at_end ? inside : test);
  if (!at_end) evaluate();
  at(inside);
  emit(ir::Op::marker, ir::nothing, ir::nothing, program.loops[index].marker);
  targets_.push_back({after, next, clean_ups_before, clean_ups_.size()});
  if (const auto* range = llvm::dyn_cast<clang::CXXForRangeStmt>(s)) declaration(range->getLoopVarStmt());
  statement(body);
  end_scope(targets_.back().clean_ups_of_pass);
  targets_.pop_back();
  go(next);
  at(next);
  if (increment != nullptr) {
    mark(s, Part::increment, increment);
    value(increment);
  }
  go(test);
  if (at_end) evaluate();
  at(after);
  program.loops[index].end = ++order_;
  loop_ = outer;
  for (const ir::Index overwrite : overwrites_of(s)) {
    emit(ir::Op::overwrite, ir::nothing, ir::nothing, overwrite);
    auto& before = function().blocks[outside].instructions;
    before.insert(before.begin() + static_cast<std::ptrdiff_t>(start),
                  {ir::Op::overwrite_begin, ir::nothing, ir::nothing, overwrite});
  }
}

void Lowering::choose(const clang::SwitchStmt* s) {
  statement(s->getInit());
  if (s->getConditionVariable() != nullptr) declaration(s->getConditionVariableDeclStmt());
  mark(s, Part::statement, s->getCond());
  value(s->getCond());
  const ir::Index from = block_, after = block(), unreachable = block();
  std::vector<std::pair<const clang::SwitchCase*, ir::Index>> cases;
  auto* outer = cases_;
  cases_ = &cases;
  const std::size_t around = targets_.empty() ? 0 : targets_.back().clean_ups_of_pass;
  targets_.push_back({after, targets_.empty() ? after : targets_.back().on_continue, clean_ups_.size(), around});
  at(unreachable);
  statement(s->getBody());
  targets_.pop_back();
  cases_ = outer;
  go(after);
  bool complete = false;
  for (const auto& [label, where] : cases) {
    function().blocks[from].successors.push_back(where);
    complete |= llvm::isa<clang::DefaultStmt>(label);
  }
  if (!complete) function().blocks[from].successors.push_back(after);
  at(after);
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
  return manager().isInSystemHeader(body->getBeginLoc()) ? "the loop is in a header of the system" : "";
}

}  // namespace cppc::frontend
