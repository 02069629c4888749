/// What may do more than its source says: memory that is read or written by means that the representation does not have
/// is lowered as what may do anything.
#include <clang/AST/Attr.h>
#include <clang/AST/OpenMPClause.h>

#include <algorithm>
#include <cctype>

#include "lowering.hpp"

namespace cppc::frontend {

using ir::Op;

namespace {

/// Clauses that name no variables of which each thread gets its own.
bool shares_variables(llvm::omp::Clause kind) {
  using namespace llvm::omp;
  switch (kind) {
    case OMPC_if:
    case OMPC_num_threads:
    case OMPC_schedule:
    case OMPC_collapse:
    case OMPC_nowait:
    case OMPC_default:
    case OMPC_ordered:
    case OMPC_proc_bind:
    case OMPC_safelen:
    case OMPC_simdlen:
    case OMPC_shared:
    case OMPC_order:
    case OMPC_read:
    case OMPC_write:
    case OMPC_update:
    case OMPC_capture:
    case OMPC_seq_cst:
      return true;
    default:
      return false;
  }
}

/// Clauses that give each thread a variable of its own: what happens to that does not happen to the other one, which
/// does not matter for scalars.
bool copies_variables(llvm::omp::Clause kind) {
  using namespace llvm::omp;
  return kind == OMPC_private || kind == OMPC_firstprivate || kind == OMPC_lastprivate || kind == OMPC_reduction ||
         kind == OMPC_linear;
}

bool runs_in_order(const clang::OMPExecutableDirective* s) {
  using namespace clang;
  return isa<OMPParallelDirective, OMPForDirective, OMPSimdDirective, OMPForSimdDirective, OMPParallelForDirective,
             OMPParallelForSimdDirective, OMPSectionsDirective, OMPSectionDirective, OMPParallelSectionsDirective,
             OMPSingleDirective, OMPMasterDirective, OMPCriticalDirective, OMPBarrierDirective, OMPAtomicDirective,
             OMPOrderedDirective, OMPFlushDirective>(s);
}

bool is_variable_arguments(const clang::Expr* e) {
  const clang::QualType type = e->getType().getCanonicalType();
  const auto* record = (type->isPointerType() ? type->getPointeeType() : type)->getAsRecordDecl();
  return record != nullptr && record->getName() == "__va_list_tag";
}

}  // namespace

void Lowering::opaque(const std::string& why) {
  if (!static_only_ && function().opaque.empty()) function().opaque = why;
}

/// Code outside the program may have the value from now on.
void Lowering::escape(ir::Node value) {
  if (value != ir::nothing) emit(Op::change, symbols_.program().unknown, value);
}

/// A value that code outside the program may have.
ir::Node Lowering::from_outside() {
  const ir::Node result = temporary();
  emit(Op::read, result, symbols_.program().unknown);
  return result;
}

ir::Node Lowering::not_understood(const clang::Expr* e) {
  opaque(std::string("it has a ") + e->getStmtClassName());
  for (const clang::Stmt* child : e->children())
    if (const auto* sub = llvm::dyn_cast_or_null<clang::Expr>(child))
      escape(sub->isGLValue() ? address_of(place(sub)) : value(sub));
  return from_outside();
}

/// As a call of a function of which nothing is known.
ir::Node Lowering::unknown_effect(const clang::Stmt* s, const std::vector<const clang::Expr*>& operands) {
  auto& program = symbols_.program();
  ir::Call made{.caller = index_, .callee = program.elsewhere};
  for (const clang::Expr* operand : operands) {
    if (!operand->isGLValue()) {
      made.arguments.push_back(value(operand));
      continue;
    }
    const LValue memory = place(operand);
    made.arguments.insert(made.arguments.end(), {get(memory, true), address_of(memory)});
  }
  made.texts.resize(made.arguments.size());
  made.argument_reads.resize(made.arguments.size());
  made.plain.resize(made.arguments.size());
  made.result = temporary();
  made.loop = loop_;
  made.condition = condition_;
  made.in_team = in_team_;
  made.order = ++order_;
  made.where = position(manager(), s->getBeginLoc(), program);
  const auto index = static_cast<ir::Index>(program.calls.size());
  const ir::Node result = made.result;
  program.calls.push_back(std::move(made));
  emit(Op::call, ir::nothing, ir::nothing, index);
  return result;
}

ir::Node Lowering::atomic(const clang::AtomicExpr* e) {
  std::vector<const clang::Expr*> operands;
  for (const clang::Stmt* child : e->children())
    if (const auto* operand = llvm::dyn_cast_or_null<clang::Expr>(child)) operands.push_back(operand);
  return unknown_effect(e, operands);
}

/// Variables that are named in the text of assembler code.
void Lowering::escape_named(llvm::StringRef text) {
  const auto in_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  while (!(text = text.drop_until(in_name)).empty()) {
    const llvm::StringRef name = text.take_while(in_name);
    text = text.drop_front(name.size());
    for (const clang::NamedDecl* d : context_->getTranslationUnitDecl()->lookup(&context_->Idents.get(name))) {
      if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(d))
        escape(address_of({.object = symbols_.variable(variable)}));
      if (const auto* named = llvm::dyn_cast<clang::FunctionDecl>(d))
        escape(address_of({.object = symbols_.function_object(named)}));
    }
  }
}

void Lowering::assembly(const clang::AsmStmt* s) {
  const auto* code = llvm::dyn_cast<clang::GCCAsmStmt>(s);
  if (code != nullptr) escape_named(code->getAsmString()->getString());
  if (code == nullptr || code->isAsmGoto()) opaque("it has assembler code that jumps");
  std::vector<const clang::Expr*> operands;
  for (unsigned i = 0; i < s->getNumOutputs(); ++i) operands.push_back(s->getOutputExpr(i));
  for (unsigned i = 0; i < s->getNumInputs(); ++i) operands.push_back(s->getInputExpr(i));
  const ir::Node made = unknown_effect(s, operands);
  for (unsigned i = 0; i < s->getNumOutputs(); ++i) {
    LValue output = place(s->getOutputExpr(i));
    output.whole = false;
    put(output, made);
  }
}

/// What a clause computes before its construct begins is the value of variables that Clang makes.
void Lowering::captured_by_clause(const clang::Stmt* made) {
  if (const auto* declared = llvm::dyn_cast<clang::DeclStmt>(made))
    for (const clang::Decl* d : declared->decls())
      if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(d);
          variable != nullptr && variable->getInit() != nullptr)
        value(variable->getInit());
}

void Lowering::clause(const clang::OMPClause* c) {
  if (const auto* before = clang::OMPClauseWithPreInit::get(c))
    if (const clang::Stmt* made = before->getPreInitStmt()) captured_by_clause(made);
  for (const clang::Stmt* child : c->children()) {
    const auto* e = llvm::dyn_cast_or_null<clang::Expr>(child);
    if (e == nullptr) continue;
    const bool scalar = e->getType()->isScalarType() && !llvm::isa<clang::ArraySectionExpr>(e);
    if (copies_variables(c->getClauseKind()) && scalar)
      get(place(e), false);
    else if (e->isPRValue())
      value(e);
    if (copies_variables(c->getClauseKind()) && !scalar) opaque("each thread has its own copy of an array");
  }
  if (!shares_variables(c->getClauseKind()) && !copies_variables(c->getClauseKind()))
    opaque("it has a clause of OpenMP that is not followed");
}

void Lowering::directive(const clang::OMPExecutableDirective* s) {
  const bool around = in_team_;
  in_team_ = true;
  for (const clang::OMPClause* c : s->clauses())
    if (c != nullptr) clause(c);
  if (!runs_in_order(s)) opaque("it has a construct of OpenMP that is not followed");
  if (s->hasAssociatedStmt()) statement(s->getRawStmt());
  in_team_ = around;
}

/// A function that the compiler calls when the variable goes.
void Lowering::clean_up(const clang::VarDecl* variable, ir::Node node) {
  const auto* attribute = variable->getAttr<clang::CleanupAttr>();
  if (attribute == nullptr) return;
  escape(address_of({.object = node}));
  escape(address_of({.object = symbols_.function_object(attribute->getFunctionDecl())}));
}

/// What va_arg() gets may come from any function's arguments. A function that is given a va_list, like vprintf(), reads
/// what they lead to.
void Lowering::take_variable_arguments(const clang::CallExpr* call) {
  const clang::FunctionDecl* named = call->getDirectCallee();
  if (named == nullptr || static_only_) return;
  const std::string name = named->getNameAsString();
  if (jumps_elsewhere(name) || named->hasAttr<clang::ReturnsTwiceAttr>()) opaque("it calls " + name + "()");
  if (name == "__builtin_va_start") emit(Op::copy, symbols_.variable_arguments(), function().rest);
  if (std::ranges::any_of(call->arguments(), is_variable_arguments))
    get({.pointer = symbols_.variable_arguments()}, true);
}

}  // namespace cppc::frontend
