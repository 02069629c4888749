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
  const auto* constructor = llvm::dyn_cast_or_null<clang::CXXConstructorDecl>(method);
  if (constructor != nullptr && !llvm::isa<clang::CXXTryStmt>(body)) construct_members(constructor);
  const auto* destructor = llvm::dyn_cast_or_null<clang::CXXDestructorDecl>(method);
  if (destructor != nullptr) {
    members_ = block();
    add_members(destructor);
    statement(body);
    go(members_);
    at(members_);
    destroy_members();
  } else if (method != nullptr && method->isLambdaStaticInvoker()) {
    invoke_lambda(method);
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
  if (const auto* e = llvm::dyn_cast<clang::Expr>(s)) {
    mark(s, Part::statement, e);
    return discarded(e);
  }
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

}  // namespace cppc::frontend
